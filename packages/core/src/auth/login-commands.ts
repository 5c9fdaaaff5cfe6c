import type { AuthMethod } from '../contract/auth-and-config.ts';
import type { Platform } from '../contract/capabilities.ts';
import type { LoginCommand } from '../contract/management.ts';

/** Shell syntax for setting a variable; the user fills in the value. */
const SET_VARIABLE: Readonly<Record<Platform, (name: string) => string>> = {
  darwin: (name) => `export ${name}='...'`,
  linux: (name) => `export ${name}='...'`,
  win32: (name) => `$env:${name} = '...'`,
};

/** One line per method: the login command, and the environment variables to set. */
export function loginCommands(methods: readonly AuthMethod[], platform: Platform): LoginCommand[] {
  return methods.flatMap(({ type, name, command, envVars = [] }) => {
    const variables = envVars.map(SET_VARIABLE[platform]);
    return [...(command ? [command] : []), ...variables].map((line) => ({ type, name, command: line }));
  });
}
