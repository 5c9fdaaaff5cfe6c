/** What it costs to be there: a cold command until the agent's first text, and the memory of an engine with one adapter. Of what is built. */
import { spawn, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { agentSetups, pathWith, startScriptedModel } from '@agent-mux/testkit';
import { installCli } from '../agents/install.ts';
import { amux } from './commands.ts';
import { median } from './measure.ts';
import type { Row } from './row.ts';

const SDK = join(import.meta.dirname, '../../packages/agent-mux/dist/index.js');
const PSS = `const pss = () => Number(/^Pss:\\s+(\\d+)/m.exec(require('node:fs').readFileSync('/proc/self/smaps_rollup', 'utf8'))[1]) / 1024;`;
const BARE = `${PSS} console.log(pss())`;
const LOADED = `${PSS} import(${JSON.stringify(SDK)}).then((mux) => { mux.createClient().adapters.get('claude'); console.log(pss()); })`;

const ROUNDS = 9;
const PROMPT = 'hello';
const STREAM = '--output-format stream-json --verbose --include-partial-messages'.split(' ');

export async function startupRows(scratch: string): Promise<Row[]> {
  return [...(await firstTextRows(scratch)), ...memoryRows(scratch)];
}

/** The real Claude Code on the scripted model: alone, and through `amux run`. */
async function firstTextRows(scratch: string): Promise<Row[]> {
  const setup = agentSetups.claude;
  if (!setup) throw new Error('testkit has no setup for claude');
  const model = await startScriptedModel({ models: [setup.model.seen, setup.otherModel.seen] });
  try {
    const path = pathWith(await installCli('claude', console.error), process.env.PATH ?? '');
    const env = { PATH: path, HOME: scratch, ...setup.env({ modelUrl: model.url, home: scratch }), ...setup.runEnv };
    const bares: number[] = [];
    const ours: number[] = [];
    // In turns; the first round fills caches and does not count.
    for (let round = 0; round <= ROUNDS; round += 1) {
      const alone = await firstText('claude', ['-p', PROMPT, ...STREAM], { cwd: scratch, env });
      const behind = await firstText(process.execPath, [amux, 'run', '-a', 'claude', '--json', PROMPT], {
        cwd: scratch,
        env,
      });
      if (round === 0) continue;
      bares.push(alone);
      ours.push(behind);
    }
    const [bare, behind] = [median(bares), median(ours)];
    const detail = `${bare.toFixed(0)} ms claude -p, ${behind.toFixed(0)} ms`;
    return [{ name: 'amux run -a claude --json, first text', value: behind / bare, unit: 'x', target: 1.2, detail }];
  } finally {
    await model.close();
  }
}

/** Both say `text_delta` for the first time with the first text. What follows is waited for, so that runs do not overlap. */
async function firstText(command: string, args: string[], options: { cwd: string; env: NodeJS.ProcessEnv }) {
  const started = performance.now();
  const child = spawn(command, args, { ...options, stdio: ['ignore', 'pipe', 'ignore'] });
  let first: number | undefined;
  for await (const line of createInterface(child.stdout)) {
    if (line.includes('"text_delta"')) first ??= performance.now() - started;
  }
  if (first === undefined) throw new Error(`${command} ${args.join(' ')} said nothing`);
  return first;
}

/** Linux only; no row on other systems. */
function memoryRows(scratch: string): Row[] {
  if (process.platform !== 'linux') return [];
  const env = { PATH: process.env.PATH, HOME: scratch, NODE_COMPILE_CACHE: join(scratch, 'compiled') };
  const megabytes = (script: string): number =>
    Number(spawnSync(process.execPath, ['-e', script], { cwd: scratch, env, encoding: 'utf8' }).stdout);
  // The first one fills the cache of compiled code.
  megabytes(LOADED);
  const [bare, loaded] = [megabytes(BARE), megabytes(LOADED)];
  const detail = `${bare.toFixed(0)} MB a bare node, ${loaded.toFixed(0)} MB`;
  return [{ name: 'engine and one adapter, over a bare node', value: loaded - bare, unit: 'MB', target: 15, detail }];
}
