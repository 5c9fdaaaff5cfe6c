import { readdirSync, readFileSync } from 'node:fs';

export interface LivingProcess {
  pid: number;
  command: string;
}

/**
 * Every process whose environment names this HOME: all that a run has started, whoever its parent is by now. Zombies
 * count as gone. Only Linux can tell; elsewhere nothing is found.
 */
export function processesWithHome(home: string): LivingProcess[] {
  return processesWithVariable('HOME', home);
}

export function processesWithVariable(name: string, value: string): LivingProcess[] {
  if (process.platform !== 'linux') return [];
  const found: LivingProcess[] = [];
  for (const entry of readdirSync('/proc')) {
    const pid = Number(entry);
    if (!Number.isInteger(pid) || pid === process.pid) continue;
    try {
      const environment = readFileSync(`/proc/${pid}/environ`, 'latin1');
      if (!environment.split('\0').includes(`${name}=${value}`)) continue;
      const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
      if (/\) [ZX] /.test(stat)) continue;
      const command = readFileSync(`/proc/${pid}/cmdline`, 'latin1').split('\0').join(' ').trim().slice(0, 160);
      found.push({ pid, command });
    } catch {
      // It ended between the look and the read, or belongs to somebody else.
    }
  }
  return found;
}
