import { text as readAll } from 'node:stream/consumers';
import type { ConfigField } from '@agent-mux/core';
import { UsageError } from '../usage-error.ts';

/** `-` is stdin: a secret on a command line can be seen by others and stays in the history of the shell. */
export async function readGivenText(word: string): Promise<string> {
  if (word !== '-') return word;
  return (await readAll(process.stdin)).replace(/\r?\n$/, '');
}

/** What a word means as a value of the field; without one it is text. */
export function readTypedValue(text: string, field: ConfigField | undefined, isJson: boolean): unknown {
  if (isJson) return jsonOf(text, '--json-value needs JSON');
  switch (field?.type) {
    case 'number': {
      const number = Number(text);
      if (text.trim() === '' || Number.isNaN(number)) throw new UsageError(`${field.name} is a number, not "${text}"`);
      return number;
    }
    case 'boolean':
      if (text !== 'true' && text !== 'false') throw new UsageError(`${field.name} is true or false, not "${text}"`);
      return text === 'true';
    case 'array':
      return text.trimStart().startsWith('[')
        ? jsonOf(text, `${field.name} is a list`)
        : text.split(',').map(trimLineEnd);
    case 'object':
      return jsonOf(text, `${field.name} is an object`);
    default:
      return text;
  }
}

function jsonOf(text: string, problem: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new UsageError(problem, `such as '{"a": 1}' or '["a", "b"]'`);
  }
}

function trimLineEnd(text: string): string {
  return text.trim();
}
