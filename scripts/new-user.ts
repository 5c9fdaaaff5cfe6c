/**
 * `npm run test:new-user`: the first steps of a new user: install the packed packages, use `amux` in a project,
 * install hooks, run three real agents, open the dashboard. The installation uses the npm registry; everything after it runs
 * offline with the scripted model, in a new home.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { installCli } from './agents/install.ts';
import { findIsolation } from './agents/isolation.ts';
import { NEW_USER_AGENTS, type NewUserJob } from './new-user/job.ts';
import { packPackages } from './pack.ts';

const WALK = join(import.meta.dirname, 'new-user/walk.ts');
const NPM = process.platform === 'win32' ? 'npm.cmd' : 'npm';
const folder = mkdtempSync(join(tmpdir(), 'amux-new-user-'));
let status = 1;
try {
  const prefix = join(folder, 'global');
  const tarballs = packPackages(join(folder, 'packed'));
  const env = { ...process.env, PATH: `${dirname(process.execPath)}:${process.env.PATH}` };
  const flags = ['--no-audit', '--no-fund', '--loglevel=error', '--ignore-scripts'];
  const installed = spawnSync(NPM, ['install', '--global', '--prefix', prefix, ...flags, ...tarballs], {
    env,
    stdio: 'inherit',
  });
  if (installed.status !== 0) throw new Error('npm install -g of the packed packages failed');
  const clis = await Promise.all(NEW_USER_AGENTS.map((agent) => installCli(agent, console.log)));
  const job: NewUserJob = { folder, amux: join(prefix, 'bin'), clis: clis.flat() };
  const [command = '', ...args] = [
    ...findIsolation().prefix,
    process.execPath,
    '--conditions=agent-mux-source',
    '--disable-warning=ExperimentalWarning',
    WALK,
  ];
  status = spawnSync(command, args, { input: JSON.stringify(job), stdio: ['pipe', 'inherit', 'inherit'] }).status ?? 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
process.exit(status);
