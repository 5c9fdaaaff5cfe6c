import { type Fault, ValidationError } from '@agent-mux/core';

const REFERENCE = /\$\{env:([^}]{0,64})\}/g;

/**
 * Puts variables in place of `${env:NAME}`, so that a definition need not hold a secret.
 * Throws with every missing one by name: an empty key would only show as somebody else's 401.
 */
export function expandEnvReferences(
  agent: string,
  field: string,
  values: Readonly<Record<string, string>>,
  environment: NodeJS.ProcessEnv,
): Record<string, string> {
  const faults: Fault[] = [];
  const expanded: Record<string, string> = {};
  for (const [key, value] of Object.entries(values)) {
    expanded[key] = value.replace(REFERENCE, (_, name: string) => {
      const found = environment[name];
      if (!found) faults.push({ field: `${field}.${key}`, problem: `the environment variable ${name} is not set` });
      return found ?? '';
    });
  }
  if (faults.length > 0) {
    throw new ValidationError(`agent "${agent}"`, faults, { agent, hint: 'Set the variable and start again.' });
  }
  return expanded;
}
