import { ValidationError, type ValidationIssue } from '@agent-mux/core';

const REFERENCE = /\$\{env:([^}]{0,64})\}/g;

/**
 * Replaces `${env:NAME}` with environment variables, so that a definition need not contain a secret. Throws with the
 * names of all missing ones: an empty key would only show up as a 401 of the server.
 */
export function expandEnvReferences(
  agent: string,
  field: string,
  values: Readonly<Record<string, string>>,
  environment: NodeJS.ProcessEnv,
): Record<string, string> {
  const issues: ValidationIssue[] = [];
  const expanded: Record<string, string> = {};
  for (const [key, value] of Object.entries(values)) {
    expanded[key] = value.replace(REFERENCE, (_, name: string) => {
      const found = environment[name];
      if (!found) issues.push({ field: `${field}.${key}`, problem: `the environment variable ${name} is not set` });
      return found ?? '';
    });
  }
  if (issues.length > 0) {
    throw new ValidationError(`agent "${agent}"`, issues, { agent, hint: 'set the variable and start again' });
  }
  return expanded;
}
