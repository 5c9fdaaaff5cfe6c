import { toJson } from '@agent-mux/core/light';

/** What JSON leaves as it is, though a terminal acts on it or a reader of lines ends one there. */
const LEFT = /[\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

/** JSON that is safe wherever it is shown; it means the same. */
export function jsonOf(value: unknown, indent?: number): string {
  return escapeLeft(toJson(value, indent));
}

/** The same for a text that is JSON already. */
export function escapeLeft(json: string): string {
  return json.replace(LEFT, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
