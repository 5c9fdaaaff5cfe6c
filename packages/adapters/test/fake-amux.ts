import { execFile } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { vi } from 'vitest';

export interface ReportedHook {
  event: string;
  /** Time of the event, as the plugin reports it. */
  at: number;
  payload: Record<string, unknown>;
}

/** A folder with its own `amux`, which logs the reports of hooks. */
export class FakeAmux {
  readonly folder = mkdtempSync(join(tmpdir(), 'amux-hooks-'));
  readonly #log = join(this.folder, 'reports.jsonl');

  constructor() {
    const script = [
      '#!/bin/sh',
      'payload=$(cat)',
      `printf '{"event":"%s %s %s","at":%s,"payload":%s}\\n' "$1" "$2" "$3" "\${AGENT_MUX_HOOK_TIME:-0}" "$payload" >> '${this.#log}'`,
    ];
    this.write('bin/amux', script.join('\n'));
    chmodSync(join(this.folder, 'bin/amux'), 0o755);
  }

  [Symbol.dispose](): void {
    rmSync(this.folder, { recursive: true, force: true });
  }

  write(name: string, text: string): string {
    const path = join(this.folder, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
    return path;
  }

  /** Ends as soon as the program does, without waiting for its reports. */
  async run(command: string, ...args: string[]): Promise<{ stdout: string; stderr: string }> {
    const PATH = [join(this.folder, 'bin'), dirname(process.execPath), process.env.PATH].join(delimiter);
    return promisify(execFile)(command, args, { cwd: this.folder, env: { ...process.env, PATH } });
  }

  /** In the order of the events; reporters may overtake each other. */
  async received(count: number): Promise<ReportedHook[]> {
    const lines = () => (existsSync(this.#log) ? readFileSync(this.#log, 'utf8').split('\n').filter(Boolean) : []);
    await vi.waitUntil(() => lines().length >= count, { timeout: 20_000, interval: 50 });
    return lines()
      .map((line): ReportedHook => JSON.parse(line))
      .sort((one, other) => one.at - other.at);
  }
}
