import { text as readAll } from 'node:stream/consumers';
import type { ConfigField } from '@agent-mux/core';
import { UsageError } from '../usage-error.ts';

/** `-` reads stdin: a secret on the command line is visible to other processes and stays in the shell history. */
export async function readValueText(word: string): Promise<string> {
  if (word !== '-') return word;
  return (await readAll(process.stdin)).replace(/\r?\n$/, '');
}

/** Parses the text as a value of the field; without a field it stays text. */
export function readTypedValue(text: string, field: ConfigField | undefined, isJson: boolean): unknown {
  if (isJson) return jsonOf(text, '--json-value: not valid JSON');
  switch (field?.type) {
    case 'number': {
      const number = Number(text);
      if (text.trim() === '' || Number.isNaN(number)) throw new UsageError(`${field.name}: not a number: "${text}"`);
      return number;
    }
    case 'boolean':
      if (text !== 'true' && text !== 'false')
        throw new UsageError(`${field.name}: expected true or false, not "${text}"`);
      return text === 'true';
    case 'array':
      return text.trimStart().startsWith('[')
        ? jsonOf(text, `${field.name}: expected a JSON list`)
        : text.split(',').map(trimLineEnd);
    case 'object':
      return jsonOf(text, `${field.name}: expected a JSON object`);
    default:
      return text;
  }
}

function jsonOf(text: string, problem: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new UsageError(problem, `for example '{"a": 1}' or '["a", "b"]'`);
  }
}

function trimLineEnd(text: string): string {
  return text.trim();
}
