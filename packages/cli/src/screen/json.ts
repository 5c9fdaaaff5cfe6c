import { toJson } from '@agent-mux/core/light';

/** Characters JSON does not escape, but terminals or line readers act on. */
const LEFT = /[\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

/** JSON that is safe to print anywhere; its meaning is unchanged. */
export function jsonOf(value: unknown, indent?: number): string {
  return escapeLeft(toJson(value, indent));
}

/** The same for existing JSON text. */
export function escapeLeft(json: string): string {
  return json.replace(LEFT, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
