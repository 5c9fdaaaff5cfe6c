import { type ChildProcess, spawn } from 'node:child_process';
import { toLines } from '../replay/lines.ts';
import { parseObject } from './decode.ts';
import { fakeAgent } from './spawn.ts';
import type { Step } from './steps.ts';

export interface StartOptions {
  vars?: Record<string, string>;
  env?: NodeJS.ProcessEnv;
  cwd?: string;
  /** Its own process group, so that the group can be signalled. */
  detached?: boolean;
  /** stdout is not read until `resume()`. */
  paused?: boolean;
}

/** A fake agent without any engine, to inspect the process itself. */
export class RunningFakeAgent {
  readonly child: ChildProcess;
  /** When the process has exited; its streams may still be open. */
  readonly exited: Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
  /** When the streams have closed too. */
  readonly ended: Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
  /** Each piece of stdout as received. */
  readonly chunks: Buffer[] = [];
  readonly #errors: Buffer[] = [];
  readonly #watchers = new Set<() => void>();
  #closed = false;

  constructor(command: string, args: readonly string[], options: StartOptions = {}) {
    const { env = process.env, cwd, detached = false } = options;
    this.child = spawn(command, args, { env, cwd, detached, stdio: 'pipe' });
    this.exited = new Promise((done) => this.child.once('exit', (code, signal) => done({ code, signal })));
    this.ended = new Promise((done) => this.child.once('close', (code, signal) => done({ code, signal })));
    this.child.stderr?.on('data', (chunk: Buffer) => this.#note(this.#errors, chunk));
    if (!options.paused) this.resume();
    void this.ended.then(() => {
      this.#closed = true;
      this.#wake();
    });
  }

  get pid(): number {
    if (this.child.pid === undefined) throw new Error('The fake agent did not start');
    return this.child.pid;
  }

  get stdout(): Buffer {
    return Buffer.concat(this.chunks);
  }

  get stderr(): string {
    return Buffer.concat(this.#errors).toString();
  }

  resume(): void {
    this.child.stdout?.on('data', (chunk: Buffer) => this.#note(this.chunks, chunk));
  }

  write(text: string): void {
    this.child.stdin?.write(text);
  }

  say(message: Record<string, unknown>): void {
    this.write(`${JSON.stringify(message)}\n`);
  }

  lines(): string[] {
    return toLines(this.stdout);
  }

  /** The objects among the lines. */
  objects(): Record<string, unknown>[] {
    return this.lines()
      .map(parseObject)
      .filter((value) => value !== null);
  }

  /** Resolves with the first whole line of stdout that matches, now or later; rejects when stdout ends without it. */
  line(wanted: (line: string) => boolean): Promise<string> {
    return this.#when(() => {
      const text = this.stdout.toString();
      return toLines(text.slice(0, text.lastIndexOf('\n') + 1)).find(wanted);
    });
  }

  /** The same for an object of that type. */
  async report(type: string): Promise<Record<string, unknown>> {
    const line = await this.line((candidate) => parseObject(candidate)?.type === type);
    return parseObject(line) ?? {};
  }

  #when<T>(find: () => T | undefined): Promise<T> {
    return new Promise((done, fail) => {
      const look = (): void => {
        const found = find();
        if (found === undefined && !this.#closed) return;
        this.#watchers.delete(look);
        if (found === undefined) fail(new Error(`Ended without it. stdout: ${this.stdout} stderr: ${this.stderr}`));
        else done(found);
      };
      this.#watchers.add(look);
      look();
    });
  }

  #note(chunks: Buffer[], chunk: Buffer): void {
    chunks.push(chunk);
    this.#wake();
  }

  #wake(): void {
    for (const look of [...this.#watchers]) look();
  }
}

export function startFakeAgent(steps: readonly Step[], options: StartOptions = {}): RunningFakeAgent {
  const { command, args } = fakeAgent(steps, options.vars);
  return new RunningFakeAgent(command, args, options);
}
