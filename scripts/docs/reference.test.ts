import { findEventIssue, findOptionIssues } from '@agent-mux/core';
import { afterAll, describe, expect, it } from 'vitest';
import { openTypes } from './compiler.ts';
import { EVENT_EXAMPLES } from './examples/events.ts';
import { OPTION_EXAMPLES } from './examples/options.ts';
import { schemaDocument } from './json-schema.ts';
import { membersOf } from './reference/declarations.ts';

const ENVELOPE = { agent: 'demo', runId: 'r', turnIndex: 0, seq: 0, timestamp: 0 };

describe('reference examples', () => {
  it.each(Object.entries(EVENT_EXAMPLES))('are valid events: %s', (_, event) => {
    expect(findEventIssue({ ...ENVELOPE, ...event }, { strict: true })).toBeUndefined();
  });

  it('have a kind on every tool event', () => {
    const tools = Object.values(EVENT_EXAMPLES).filter((event) => 'toolName' in event);
    for (const event of tools) expect(event, event.type).toHaveProperty('kind');
  });

  it('are valid options', () => {
    expect(findOptionIssues(OPTION_EXAMPLES)).toEqual([]);
  });
});

describe('generated reference', () => {
  const types = openTypes();
  afterAll(() => types.close());

  it('lists every member and rejects one without a comment', () => {
    const contract = 'packages/core/src/contract';
    const names = membersOf(types, `${contract}/options.ts`, 'RunOptions').map(({ name }) => name);
    expect(names).toEqual(Object.keys(OPTION_EXAMPLES));
    expect(() => membersOf(types, `${contract}/adapter.ts`, 'TerminalSize')).toThrow(
      /TerminalSize.cols has no comment/,
    );
  });

  it('describes JSON only: optional fields, null, lists, unions, no functions', () => {
    const field = types.exported('packages/core/src/contract/auth-and-config.ts', 'McpConfigFormat');
    const schema = schemaDocument(types, types.checker.getDeclaredTypeOfSymbol(field), { title: '', description: '' });
    expect(schema).toMatchObject({
      $ref: '#/$defs/McpConfigFormat',
      $defs: {
        McpConfigFormat: {
          required: ['key'],
          properties: {
            globalFile: { anyOf: [{ type: 'array', items: { type: 'string' } }, { type: 'string' }] },
            list: { type: 'boolean' },
            format: { enum: ['json', 'jsonc', 'toml', 'yaml'] },
          },
        },
      },
    });
    expect(JSON.stringify(schema)).not.toContain('encode');
  });
});
