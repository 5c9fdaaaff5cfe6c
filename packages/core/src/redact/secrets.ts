import type { AgentEvent } from '../contract/events.ts';
import { isSecretName, REDACTED, redactSecrets } from './redact.ts';

/** Shorter values are not secrets: redacting them would garble the text. */
const MIN_LENGTH = 6;
/** Names that contain a secret word but hold a location or a flag. */
const PLACE_NAME = /(?:path|file|dir|directory|folder|home|socket|url|uri|host|endpoint|type|mode)$/i;
const COMMON_VALUE = /^(?:true|false|null|none|auto|default|enabled|disabled|always|never|optional|required)$/i;
/** An unbroken run of letters and digits of this length is not a word, name, version or path. */
const UNBROKEN = /[A-Za-z0-9+=]{16,}/g;

/**
 * Values that must not appear in an error, a log line, a trace or a record. Of all variables: the values of those with
 * a secret name. Of those that the caller set for this run also values that look like a key, whatever their name.
 * Paths, addresses and common words are never included. The longest first: one may be part of another.
 */
export function secretsOf(host: NodeJS.ProcessEnv, options: Readonly<Record<string, string>> = {}): string[] {
  const named = Object.entries({ ...host, ...options }).filter(
    ([name]) => isSecretName(name) && !PLACE_NAME.test(name),
  );
  const made = Object.entries(options).filter(([, value]) => isMadeByMachine(value));
  const values = [...named, ...made].flatMap(([, value]) => (value === undefined ? [] : [value]));
  return [...new Set(values)]
    .filter((value) => value.length >= MIN_LENGTH && !COMMON_VALUE.test(value))
    .sort((a, b) => b.length - a.length);
}

function isMadeByMachine(value: string): boolean {
  if (/[\s/\\]/.test(value)) return false;
  return [...value.matchAll(UNBROKEN)].some(([run]) => /\d/.test(run) && /[A-Za-z]/.test(run));
}

/** Removes only these values: ids and names are not changed. */
export function withoutValues(text: string, secrets: readonly string[]): string {
  return secrets.reduce((clean, value) => clean.replaceAll(value, REDACTED), text);
}

/** Redacts failure messages of the engine and the agent. Output for the user is passed through unchanged. */
export function redactError(event: AgentEvent, secrets: readonly string[]): void {
  switch (event.type) {
    case 'auth_error':
    case 'rate_limit_error':
    case 'context_exceeded':
    case 'error':
    case 'timeout':
      event.message = redactSecrets(event.message, secrets);
      break;
    case 'crash':
      event.message = redactSecrets(event.message, secrets);
      event.stderr = redactSecrets(event.stderr, secrets);
      break;
    case 'retry':
      event.reason = redactSecrets(event.reason, secrets);
      break;
    // Skipped for speed: these can be very frequent.
    case 'debug':
      event.message = withoutValues(event.message, secrets);
      break;
    case 'log':
      event.line = withoutValues(event.line, secrets);
      break;
  }
}
