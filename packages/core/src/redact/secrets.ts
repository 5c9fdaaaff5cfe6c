import type { AgentEvent } from '../contract/events.ts';
import { isSecretName, REDACTED, redactSecrets } from './redact.ts';

/** Shorter values are no secrets: taking them out would only spoil the text. */
const LEAST_LENGTH = 6;
/** Names that speak of a secret and hold where it is, or that there is one. */
const PLACE_NAME = /(?:path|file|dir|directory|folder|home|socket|url|uri|host|endpoint|type|mode)$/i;
const COMMON_VALUE = /^(?:true|false|null|none|auto|default|enabled|disabled|always|never|optional|required)$/i;
/** So many letters and digits without a break are no word, name, version or path that a person wrote. */
const UNBROKEN = /[A-Za-z0-9+=]{16,}/g;

/**
 * What must not come back in an error, a log line, a trace or a record. Of all variables: the values of those whose name
 * says so. Of those that the caller gave for this run also what looks like a key, whatever it is called. Paths, addresses
 * and common words are never among them. The longest first: one may be a part of another.
 */
export function secretsOf(host: NodeJS.ProcessEnv, given: Readonly<Record<string, string>> = {}): string[] {
  const named = Object.entries({ ...host, ...given }).filter(([name]) => isSecretName(name) && !PLACE_NAME.test(name));
  const made = Object.entries(given).filter(([, value]) => isMadeByMachine(value));
  const values = [...named, ...made].flatMap(([, value]) => (value === undefined ? [] : [value]));
  return [...new Set(values)]
    .filter((value) => value.length >= LEAST_LENGTH && !COMMON_VALUE.test(value))
    .sort((a, b) => b.length - a.length);
}

function isMadeByMachine(value: string): boolean {
  if (/[\s/\\]/.test(value)) return false;
  return [...value.matchAll(UNBROKEN)].some(([run]) => /\d/.test(run) && /[A-Za-z]/.test(run));
}

/** Without these values and nothing else: an id or a name stays what it is. */
export function withoutValues(text: string, secrets: readonly string[]): string {
  return secrets.reduce((clean, value) => clean.replaceAll(value, REDACTED), text);
}

/** What the engine and the agent say of trouble, without secrets. What the agent says to its user is passed as it is. */
export function redactTrouble(event: AgentEvent, secrets: readonly string[]): void {
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
    // There may be very many of these.
    case 'debug':
      event.message = withoutValues(event.message, secrets);
      break;
    case 'log':
      event.line = withoutValues(event.line, secrets);
      break;
  }
}
