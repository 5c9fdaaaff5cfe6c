import { readdirSync, readFileSync } from 'node:fs';

export interface LivingProcess {
  pid: number;
  command: string;
}

/**
 * Every process whose environment has this HOME: everything that a run has started, whatever its parent is now. Zombies
 * count as gone. Linux only; other systems find nothing.
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
      // It ended in the meantime, or belongs to another user.
    }
  }
  return found;
}
