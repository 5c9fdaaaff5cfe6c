import type { Types } from '../compiler.ts';
import { aboutOf, membersOf } from './declarations.ts';
import { fieldTable, MADE, memberList } from './markdown.ts';

const CONTRACT = 'packages/core/src/contract';
const RUN = `${CONTRACT}/run.ts`;

/** The parts of a client, and where each is declared. */
const PARTS: readonly (readonly [part: string, file: string, type: string])[] = [
  ['adapters', RUN, 'AdapterRegistry'],
  ['sessions', `${CONTRACT}/session-queries.ts`, 'SessionCatalog'],
  ['config', `${CONTRACT}/native-config.ts`, 'AgentConfigs'],
  ['mcp', `${CONTRACT}/native-config.ts`, 'AgentMcpServers'],
  ['plugins', `${CONTRACT}/plugins.ts`, 'AgentPlugins'],
  ['hooks', `${CONTRACT}/hooks.ts`, 'AgentHooks'],
  ['skills', `${CONTRACT}/skills.ts`, 'AgentSkills'],
  ['auth', `${CONTRACT}/management.ts`, 'AuthApi'],
  ['models', `${CONTRACT}/management.ts`, 'ModelsApi'],
];

export function clientPage(types: Types): string {
  const members = membersOf(types, RUN, 'AgentMuxClient');
  const parts = members.filter(({ isMethod }) => !isMethod).map(({ name }) => name);
  const missing = parts.filter((name) => !PARTS.some(([part]) => part === name));
  if (missing.length > 0) throw new Error(`the reference has no section for the client's ${missing.join(', ')}`);
  const own = [
    ...membersOf(types, 'packages/adapters/src/configured-client.ts', 'ConfiguredClientOptions'),
    ...membersOf(types, RUN, 'ClientOptions'),
  ];
  const sections = PARTS.map(
    ([part, file, type]) =>
      `## client.${part}\n${aboutOf(types, file, type)}\n\n${memberList(membersOf(types, file, type), `${part}.`)}`,
  );
  return `# The client

${MADE}

\`createClient(options)\` of \`agent-mux\` has every built-in agent, and the agents and profiles of the
[configuration files](../configuration.md). \`createClient\` of \`@agent-mux/core\` has exactly the \`adapters\` you pass.

## Options
${fieldTable(own)}

## Members
${memberList(members)}

### [Symbol.asyncDispose]
The same as \`close()\`: \`await using client = createClient()\`.

${sections.join('\n\n')}

## ConfiguredClient additions
The client of \`agent-mux\` also reports what it has read:

${fieldTable(membersOf(types, 'packages/adapters/src/configured-client.ts', 'ConfiguredClient').filter(({ isMethod }) => !isMethod))}
`;
}
