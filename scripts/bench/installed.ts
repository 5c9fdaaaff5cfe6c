import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { amux } from './commands.ts';
import { runCommand, timed } from './measure.ts';
import type { Row } from './row.ts';

const COMMANDS =
  'claude cline codex cn copilot droid gemini goose grok kilo kimi omp openclaw opencode pi qwen aider'.split(' ');
/** About what the real ones take. */
const SECONDS = 0.5;

/** `amux agents` and `doctor` where seventeen CLIs are installed: the first time, and afterwards. */
export async function installedRows(scratch: string): Promise<Row[]> {
  const rows: Row[] = [];
  for (const words of [['agents'], ['doctor']]) {
    const home = join(scratch, `installed-${words[0]}`);
    const bin = join(home, 'bin');
    mkdirSync(bin, { recursive: true });
    for (const name of COMMANDS) {
      writeFileSync(join(bin, name), `#!/bin/sh\nsleep ${SECONDS}\necho 1.0.0\n`);
      chmodSync(join(bin, name), 0o755);
    }
    const env = { HOME: home, PATH: `${bin}:/usr/bin:/bin` };
    const time = () => timed(() => runCommand(process.execPath, [amux, ...words], env));
    const first = await time();
    const value = Math.min(await time(), await time(), await time());
    const detail = `${(first / 1000).toFixed(1)} s the first time`;
    rows.push({ name: `amux ${words[0]} with 17 CLIs, versions remembered`, value, unit: 'ms', target: 1000, detail });
  }
  return rows;
}
