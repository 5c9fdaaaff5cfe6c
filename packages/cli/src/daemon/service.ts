import { spawnSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname } from 'node:path';
import { AgentMuxError, shellCommand } from '@agent-mux/core/light';
import { daemonCommand } from '@agent-mux/daemon/start';
import { EXIT } from '../exit-codes.ts';
import { print, printJson, printNote } from '../output.ts';
import { describeService, type ServiceFile } from './service-file.ts';

/** Registers the daemon with the system's service manager, or unregisters it. */
export function changeService(change: 'install' | 'uninstall', json: boolean): number {
  const service = findService();
  if (change === 'install') {
    mkdirSync(dirname(service.path), { recursive: true });
    writeFileSync(service.path, service.text);
  }
  const commands = change === 'install' ? service.enable : service.disable;
  const failed = runAll(commands);
  if (change === 'uninstall') rmSync(service.path, { force: true });
  const missing = failed === undefined ? [] : commands.slice(commands.indexOf(failed.command)).map(shellCommand);
  if (json) return printJson<'up'>({ file: service.path, change, done: failed === undefined, missing });
  print(change === 'install' ? `Wrote ${service.path}` : `Removed ${service.path}`);
  if (failed === undefined)
    printNote(change === 'install' ? 'the daemon will start at login' : 'the daemon will no longer start at login');
  else {
    printNote(`${failed.command[0]} failed (${failed.why}); run the remaining commands yourself:`);
    for (const command of missing) print(`  ${command}`);
  }
  return EXIT.ok;
}

function findService(): ServiceFile {
  const service = describeService({
    platform: process.platform,
    home: homedir(),
    configHome: process.env.XDG_CONFIG_HOME,
    uid: process.getuid?.() ?? 0,
    command: [process.execPath, ...daemonCommand()],
    path: process.env.PATH ?? '',
  });
  if (service) return service;
  throw new AgentMuxError('CAPABILITY_ERROR', `no supported service manager on ${process.platform}`, {
    hint: 'commands that need the daemon start it automatically',
  });
}

/** Undefined if all commands succeeded. */
function runAll(commands: ServiceFile['enable']): { command: readonly string[]; why: string } | undefined {
  for (const command of commands) {
    const [program = '', ...args] = command;
    const { status, error, stderr } = spawnSync(program, args, { encoding: 'utf8' });
    if (status !== 0) return { command, why: error?.message ?? stderr.trim().split('\n')[0] ?? '' };
  }
  return undefined;
}
