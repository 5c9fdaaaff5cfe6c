import type { TerminalSpec } from '../contract/terminal.ts';
import { callNow } from './guard-call.ts';
import { assertShape } from './guard-queries.ts';

/** Validates arguments before a process is started. */
export function guardTerminal(agent: string, terminal: TerminalSpec): TerminalSpec {
  const { resume, model, prompt } = terminal;
  const guard = (name: string, make: (value: string) => readonly string[]) => (value: string) => {
    const member = { agent, name: `terminal.${name}` };
    return assertShape(
      member,
      callNow(member, () => make.call(terminal, value)),
      'a list of arguments',
      isWords,
    );
  };
  return {
    ...terminal,
    ...(resume && { resume: guard('resume', resume) }),
    ...(model && { model: guard('model', model) }),
    ...(prompt && { prompt: guard('prompt', prompt) }),
  };
}

function isWords(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((word) => typeof word === 'string' && !word.includes('\0'));
}
