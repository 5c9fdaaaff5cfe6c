import type { SpawnArgs } from '../../contract/adapter.ts';
import { AgentMuxError } from '../../contract/errors.ts';
import type { ProcessExit } from '../process-io.ts';

/** A command that ends what may be left on the remote side. */
export interface CleanUp {
  command: string;
  args: readonly string[];
  stdin?: string;
  /** Run it also after a normal end. */
  always: boolean;
}

/** How the local process is connected to the remote one. Plain data, part of the plan. */
export interface RemoteLink {
  token: string;
  /** First input on stdin. It contains secrets and goes into no trace. */
  preamble: string;
  /** Display name: `ssh me@box`. */
  name: string;
  /** The remote command. */
  program: string;
  cleanUp: CleanUp;
}

/** A spawn that may run remotely. */
export interface SpawnPlan extends SpawnArgs {
  remote?: RemoteLink;
}

/** Signals to the remote side, sent between the agent's own lines. `eof`: no more input. `end`: stop immediately. */
export type RemoteSignal = 'int' | 'eof' | 'end';

export function writeSignal({ token }: RemoteLink, order: RemoteSignal): string {
  return `${token} ${order}\n`;
}

/** Why the remote side did not start the agent. */
const REFUSALS: Readonly<Record<string, (link: RemoteLink) => AgentMuxError>> = {
  missing: ({ name, program }) =>
    new AgentMuxError('AGENT_NOT_INSTALLED', `"${program}" not found on ${name}`, {
      hint: 'run "amux remote install" to install it',
    }),
  folder: ({ name }) => new AgentMuxError('SPAWN_ERROR', `the working directory does not exist on ${name}`),
  scratch: ({ name }) => new AgentMuxError('SPAWN_ERROR', `cannot create a folder for files of the run on ${name}`),
};

/** Reports of the remote side are short: a longer unfinished line is the agent's. */
const MAX_REPORT_CHARS = 4096;

/** Parses the reports of the remote side, which are mixed with the agent's stderr. */
export class RemoteWatcher {
  readonly #link: RemoteLink;
  #rest = '';
  #here = false;
  #refused: string | undefined;
  #code: number | undefined;

  constructor(link: RemoteLink) {
    this.#link = link;
  }

  /** It ended normally: nothing is left on the remote side. */
  get settled(): boolean {
    return this.#code !== undefined || this.#refused !== undefined;
  }

  /** Returns the agent's part of a chunk of stderr; an unfinished line is buffered. */
  take(chunk: Buffer): Buffer {
    const lines = (this.#rest + chunk.toString('latin1')).split('\n');
    this.#rest = lines.pop() ?? '';
    const long = this.#rest.length > MAX_REPORT_CHARS ? this.#rest : '';
    if (long !== '') this.#rest = '';
    const own = lines.filter(
      (line, i) => !this.#parseReport(line) && !(line === '' && this.#isReport(lines[i + 1] ?? '')),
    );
    return Buffer.from(own.map((line) => `${line}\n`).join('') + long, 'latin1');
  }

  /** Returns the rest at the end of the stream. */
  end(): Buffer {
    const rest = this.#parseReport(this.#rest) ? '' : this.#rest;
    this.#rest = '';
    return Buffer.from(rest, 'latin1');
  }

  /** Interprets the exit of the client: the agent's own exit, a lost connection, or one that was never made. */
  exitOf(exit: ProcessExit, stderrTail: string): ProcessExit {
    if (exit.spawnError) return exit;
    // A client that was killed has lost its agent, whatever that reported.
    if (this.#code !== undefined && !exit.signal) return { code: this.#code, signal: null };
    if (this.#refused !== undefined) {
      const spawnError = REFUSALS[this.#refused]?.(this.#link) ?? new Error(`${this.#link.name} refused to start it`);
      return { ...exit, spawnError };
    }
    const how = exit.signal ? `was killed by ${exit.signal}` : `exited with code ${exit.code}`;
    const lastLine = stderrTail.trim().split('\n').at(-1)?.trim();
    const why = `${this.#link.name} ${how}${lastLine ? `: ${lastLine}` : ''}`;
    return this.#here ? { ...exit, lost: why } : { ...exit, spawnError: new AgentMuxError('NETWORK_ERROR', why) };
  }

  #isReport(line: string): boolean {
    return line.startsWith(`${this.#link.token} `);
  }

  #parseReport(line: string): boolean {
    if (!this.#isReport(line)) return false;
    const [word, value = ''] = line
      .slice(this.#link.token.length + 1)
      .trimEnd()
      .split(' ');
    if (word === 'here') this.#here = true;
    else if (word === 'refused') this.#refused = value;
    else if (word === 'end') this.#code = Number(value);
    return true;
  }
}
