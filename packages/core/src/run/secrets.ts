import type { AgentEvent } from '../contract/events.ts';
import { isSecretName, redactSecrets } from './redact.ts';

/** Shorter values are no secrets: taking them out would only spoil the text. */
const LEAST_LENGTH = 6;
/** Names that speak of a secret and hold where it is, or that there is one. */
const PLACE_NAME = /(?:path|file|dir|directory|folder|home|socket|url|uri|host|endpoint|type|mode)$/i;
const COMMON_VALUE = /^(?:true|false|null|none|auto|default|enabled|disabled|always|never|optional|required)$/i;
/** So many letters and digits without a break are no word, name, version or path that a person wrote. */
const MADE_BY_A_MACHINE = /(?=[A-Za-z0-9+=]*\d)(?=[A-Za-z0-9+=]*[A-Za-z])[A-Za-z0-9+=]{16,}/;

/**
 * What must not come back in an error, a log line, a trace or a record. Of all variables: the values of those whose name
 * says so. Of those that the caller gave for this run also what looks like a key, whatever it is called. Paths, addresses
 * and common words are never among them.
 */
export function secretsOf(host: NodeJS.ProcessEnv, given: Readonly<Record<string, string>> = {}): string[] {
  const named = Object.entries({ ...host, ...given }).filter(([name]) => isSecretName(name) && !PLACE_NAME.test(name));
  const made = Object.entries(given).filter(([, value]) => !/[\s/\\]/.test(value) && MADE_BY_A_MACHINE.test(value));
  const values = [...named, ...made].flatMap(([, value]) => (value === undefined ? [] : [value]));
  return [...new Set(values)].filter((value) => value.length >= LEAST_LENGTH && !COMMON_VALUE.test(value));
}

/** Only these values; an id or a name stays what it is otherwise. */
export function withoutValues(text: string, secrets: readonly string[]): string {
  let clean = text;
  for (const value of secrets) if (clean.includes(value)) clean = redactSecrets(clean, secrets);
  return clean;
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
