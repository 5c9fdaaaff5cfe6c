import type { HookFile, HookSpec } from '@agent-mux/core';

const EVENTS: HookSpec['events'] = [{ name: 'Start' }, { name: 'Tool', matcher: '*' }, { name: 'Stop' }];

const FILES = {
  'json-groups': { shape: 'json-groups', path: '.one/settings.json', under: ['hooks'], timeout: 10 },
  'json-flat': {
    shape: 'json-flat',
    path: '.two/deep/hooks.json',
    under: ['hooks'],
    entry: (command) => ({ type: 'command', bash: command }),
    fixed: { version: 1 },
  },
  'json at the top': { shape: 'json-groups', path: '.three/hooks.json', under: [] },
  'toml-groups': { shape: 'toml-groups', path: '.four/config.toml', under: ['hooks'] },
  'yaml-list': {
    shape: 'yaml-list',
    path: '.five.yaml',
    under: ['agent', 'hooks'],
    entry: (command) => ({ command, timeout: 5 }),
  },
  'markdown-block': {
    shape: 'markdown-block',
    path: 'RULES.md',
    text: (commandOf) => `Run \`${commandOf('Stop')}\` when you are done.`,
  },
  scripts: {
    shape: 'scripts',
    folder: '.seven/hooks',
    fileOf: ({ name }) => name,
    text: (command) => `#!/bin/sh\nexec ${command}\n`,
  },
  plugin: {
    shape: 'plugin',
    path: '.eight/plugins/agent-mux.ts',
    text: (agent) => `export const run = 'amux hooks ${agent} Stop';\n`,
  },
} as const satisfies Record<string, HookFile>;

export type ShapeName = keyof typeof FILES;
export const SHAPES = Object.keys(FILES) as ShapeName[];

/** One for each shape. */
export function hookSpec(name: ShapeName): HookSpec {
  return { events: EVENTS, file: FILES[name], read: () => ({}) };
}
