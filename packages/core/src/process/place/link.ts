import type { SpawnArgs } from '../../contract/adapter.ts';
import { AgentMuxError } from '../../contract/errors.ts';
import type { ProcessExit } from '../process-io.ts';

/** A command that ends what may be left in the other place. */
export interface CleanUp {
  command: string;
  args: readonly string[];
  stdin?: string;
  /** Also after an orderly end. */
  always: boolean;
}

/** How the process here is bound to the one in the other place. Plain data, part of the plan. */
export interface PlaceLink {
  token: string;
  /** Said first on stdin. It holds secrets: it goes into no trace. */
  preamble: string;
  /** For people: `ssh me@box`. */
  name: string;
  /** The command that was asked for there. */
  program: string;
  cleanUp: CleanUp;
}

/** A spawn that may reach into another place. */
export interface SpawnPlan extends SpawnArgs {
  place?: PlaceLink;
}

/** What the other side is told in between the agent's own lines. `eof`: no more input. `end`: at once. */
export type Order = 'int' | 'eof' | 'end';

export function writeOrder({ token }: PlaceLink, order: Order): string {
  return `${token} ${order}\n`;
}

/** Why the other side did not start the agent. */
const REFUSALS: Readonly<Record<string, (link: PlaceLink) => AgentMuxError>> = {
  missing: ({ name, program }) =>
    new AgentMuxError('AGENT_NOT_INSTALLED', `"${program}" was not found by ${name}`, {
      hint: 'amux remote install puts it there',
    }),
  folder: ({ name }) => new AgentMuxError('SPAWN_ERROR', `the working folder does not exist by ${name}`),
  scratch: ({ name }) => new AgentMuxError('SPAWN_ERROR', `no folder for files of the run could be made by ${name}`),
};

/** The words of the other side are short: a longer line without its end is the agent's. */
const MAX_WORD_CHARS = 4096;

/** Listens to the words of the other side, which come on stderr among the agent's own. */
export class PlaceWatch {
  readonly #link: PlaceLink;
  #rest = '';
  #here = false;
  #refused: string | undefined;
  #code: number | undefined;

  constructor(link: PlaceLink) {
    this.#link = link;
  }

  /** It ended in order: nothing is left there. */
  get settled(): boolean {
    return this.#code !== undefined || this.#refused !== undefined;
  }

  /** What is the agent's own of a chunk of stderr; the beginning of a line waits for its end. */
  take(chunk: Buffer): Buffer {
    const lines = (this.#rest + chunk.toString('latin1')).split('\n');
    this.#rest = lines.pop() ?? '';
    const long = this.#rest.length > MAX_WORD_CHARS ? this.#rest : '';
    if (long !== '') this.#rest = '';
    const own = lines.filter((line, i) => !this.#hears(line) && !(line === '' && this.#isWord(lines[i + 1] ?? '')));
    return Buffer.from(own.map((line) => `${line}\n`).join('') + long, 'latin1');
  }

  /** What is left at the end of the stream. */
  end(): Buffer {
    const rest = this.#hears(this.#rest) ? '' : this.#rest;
    this.#rest = '';
    return Buffer.from(rest, 'latin1');
  }

  /** What the end of the client means: the agent's own exit, a connection that was lost, or one that never was. */
  exitOf(exit: ProcessExit, lastWords: string): ProcessExit {
    if (exit.spawnError) return exit;
    // A client that was killed has lost its agent, whatever that said to nobody.
    if (this.#code !== undefined && !exit.signal) return { code: this.#code, signal: null };
    if (this.#refused !== undefined) {
      const spawnError = REFUSALS[this.#refused]?.(this.#link) ?? new Error(`${this.#link.name} refused to start it`);
      return { ...exit, spawnError };
    }
    const how = exit.signal ? `was ended by ${exit.signal}` : `ended with code ${exit.code}`;
    const said = lastWords.trim().split('\n').at(-1)?.trim();
    const why = `${this.#link.name} ${how}${said ? `: ${said}` : ''}`;
    return this.#here ? { ...exit, lost: why } : { ...exit, spawnError: new AgentMuxError('NETWORK_ERROR', why) };
  }

  #isWord(line: string): boolean {
    return line.startsWith(`${this.#link.token} `);
  }

  #hears(line: string): boolean {
    if (!this.#isWord(line)) return false;
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
