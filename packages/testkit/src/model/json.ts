/**
 * Narrowing for parsed JSON whose structure a client chose: a wrong type reads as absent. Separate, as the model is
 * also served manually, by a program without the other packages.
 */
export type JsonObject = { [key: string]: unknown };

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export const objectAt = (value: unknown): JsonObject => (isObject(value) ? value : {});

export const stringAt = (value: unknown): string => (typeof value === 'string' ? value : '');

export const listAt = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

export const objectsAt = (value: unknown): readonly JsonObject[] => listAt(value).filter(isObject);

export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
