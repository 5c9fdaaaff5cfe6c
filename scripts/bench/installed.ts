import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const COMMANDS =
  'claude cline codex cn copilot droid gemini goose grok kilo kimi omp openclaw opencode pi qwen aider'.split(' ');
/** About what the real ones take. */
const SECONDS = 0.5;

type Time = (words: readonly string[], env: Record<string, string>) => Promise<number>;

/** `amux agents` and `doctor` where seventeen CLIs are installed: the first time, and afterwards. */
export async function installedRows(scratch: string, time: Time): Promise<[string, string, string, string][]> {
  const rows: [string, string, string, string][] = [];
  for (const words of [['agents'], ['doctor']]) {
    const home = join(scratch, `installed-${words[0]}`);
    const bin = join(home, 'bin');
    mkdirSync(bin, { recursive: true });
    for (const name of COMMANDS) {
      writeFileSync(join(bin, name), `#!/bin/sh\nsleep ${SECONDS}\necho 1.0.0\n`);
      chmodSync(join(bin, name), 0o755);
    }
    const env = { HOME: home, PATH: `${bin}:/usr/bin:/bin` };
    const first = await time(words, env);
    const after = Math.min(await time(words, env), await time(words, env), await time(words, env));
    rows.push([
      `amux ${words[0]} with 17 CLIs, versions remembered`,
      `${(first / 1000).toFixed(1)} s the first time`,
      `${after.toFixed(0)} ms`,
      `${(after / first).toFixed(2)} of the first time (target 1000 ms)`,
    ]);
  }
  return rows;
}
