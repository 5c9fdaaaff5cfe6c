/** Overhead of a turn through the daemon compared with a direct one. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { median } from '../measure.ts';
import type { Row } from '../row.ts';
import { type MeasuredAgent, prepareAgent } from './agents.ts';
import { cpuOf, startBuiltDaemon } from './built-daemon.ts';
import { runDirect, runThroughDaemon, type Talk, type Turn } from './conversation.ts';

/** Warm-up turns, until most code is compiled. */
const WARM_UP = { greetings: 20, longAnswers: 3 };
const GREETINGS = 25;
const LATE_ANSWERS = 9;
const LONG_ANSWERS = 9;
const DELTAS = 2000;
/** Latency of a fast real model; the scripted model answers at once. */
const MODEL_MS = 200;

export async function turnRows(scratch: string): Promise<Row[]> {
  const home = join(scratch, 'home');
  const cwd = join(scratch, 'work');
  mkdirSync(cwd);
  const agent = await prepareAgent(home);
  const daemon = await startBuiltDaemon(home, agent.env);
  const bare = runDirect(agent, cwd);
  try {
    const ours = await runThroughDaemon(daemon, agent, cwd);
    const spent = () => cpuOf(daemon.pid) + cpuOf(ours.keeperPid);
    const rows = await compare(agent, { bare, ours, spent });
    await ours.close();
    return rows;
  } finally {
    await bare.close();
    await daemon.stop();
    await agent.close();
  }
}

interface Compared {
  bare: Talk;
  ours: Talk;
  /** CPU milliseconds of daemon and keeper. */
  spent(): number;
}

async function compare(measured: MeasuredAgent, compared: Compared): Promise<Row[]> {
  const { agent, greeting, longAnswer, lateAnswer } = measured;
  await inTurns(compared, greeting, WARM_UP.greetings);
  const short = await inTurns(compared, greeting, GREETINGS);
  const late = lateAnswer && (await inTurns(compared, lateAnswer(MODEL_MS), LATE_ANSWERS));
  await inTurns(compared, longAnswer(DELTAS), WARM_UP.longAnswers);
  const long = await inTurns(compared, longAnswer(DELTAS), LONG_ANSWERS);
  for (const { deltas } of [...long.bares, ...long.ours])
    if (deltas !== DELTAS) throw new Error(`${deltas} deltas of ${DELTAS}`);
  const name = `first delta of ${agent} through the daemon`;
  // A ratio to an agent that answers at once means nothing.
  const target = (value: number) => (lateAnswer ? { target: value } : {});
  return [
    { ...rowOf(name, 'first', short), ...target(1.05) },
    ...(late ? [{ ...rowOf(`${name}, of a model that takes ${MODEL_MS} ms`, 'first', late), ...target(1.05) }] : []),
    { ...rowOf(`${DELTAS.toLocaleString('en')} deltas of ${agent} through the daemon`, 'all', long), ...target(1.1) },
  ];
}

interface Measured {
  bares: Turn[];
  ours: Turn[];
  /** Of one turn. */
  cpuMs: number;
}

/** Alternates which of the two goes first. */
async function inTurns({ bare, ours, spent }: Compared, prompt: string, rounds: number): Promise<Measured> {
  const measured: Measured = { bares: [], ours: [], cpuMs: 0 };
  const before = spent();
  for (let round = 0; round < rounds; round += 1) {
    const isBareFirst = round % 2 === 0;
    for (const isBare of [isBareFirst, !isBareFirst])
      measured[isBare ? 'bares' : 'ours'].push(await (isBare ? bare : ours).turn(prompt));
  }
  measured.cpuMs = (spent() - before) / rounds;
  return measured;
}

function rowOf(name: string, part: 'first' | 'all', { bares, ours, cpuMs }: Measured): Row {
  const [bare, own] = [bares, ours].map((turns) => median(turns.map((turn) => turn[part])));
  const detail = `${ms(bare)} direct, ${ms(own)}; ${ms(cpuMs)} of CPU in daemon and keeper`;
  return { name, value: (own ?? 0) / (bare ?? 0), unit: 'x', detail };
}

function ms(time = Number.NaN): string {
  return `${time.toFixed(1)} ms`;
}
