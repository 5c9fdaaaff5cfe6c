import type { Platform } from '../contract/capabilities.ts';
import type { AuthMethod } from '../contract/surroundings.ts';
import type { LoginCommand } from '../contract/upkeep.ts';

/** How a shell of the platform is told a variable; the value is the person's to fill in. */
const SET_VARIABLE: Readonly<Record<Platform, (name: string) => string>> = {
  darwin: (name) => `export ${name}='...'`,
  linux: (name) => `export ${name}='...'`,
  win32: (name) => `$env:${name} = '...'`,
};

/** One line a way: the command that logs in, and the variables that it takes or gives. */
export function loginCommands(methods: readonly AuthMethod[], platform: Platform): LoginCommand[] {
  return methods.flatMap(({ type, name, command, envVars = [] }) => {
    const variables = envVars.map(SET_VARIABLE[platform]);
    return [...(command ? [command] : []), ...variables].map((line) => ({ type, name, command: line }));
  });
}
