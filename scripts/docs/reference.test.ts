import { findEventFault, optionFaults } from '@agent-mux/core';
import { afterAll, describe, expect, it } from 'vitest';
import { openTypes } from './compiler.ts';
import { EVENT_EXAMPLES } from './examples/events.ts';
import { OPTION_EXAMPLES } from './examples/options.ts';
import { schemaDocument } from './json-schema.ts';
import { membersOf } from './reference/declarations.ts';

const ENVELOPE = { agent: 'demo', runId: 'r', turnIndex: 0, seq: 0, timestamp: 0 };

describe('the examples of the reference', () => {
  it.each(Object.entries(EVENT_EXAMPLES))('are events of the contract: %s', (_, event) => {
    expect(findEventFault({ ...ENVELOPE, ...event }, { strict: true })).toBeUndefined();
  });

  it('say what a tool does where the contract wants it', () => {
    const tools = Object.values(EVENT_EXAMPLES).filter((event) => 'toolName' in event);
    for (const event of tools) expect(event, event.type).toHaveProperty('kind');
  });

  it('are options that the engine takes', () => {
    expect(optionFaults(OPTION_EXAMPLES)).toEqual([]);
  });
});

describe('what is made from the types', () => {
  const types = openTypes();
  afterAll(() => types.close());

  it('has every member, and refuses one without a comment', () => {
    const contract = 'packages/core/src/contract';
    const names = membersOf(types, `${contract}/options.ts`, 'RunOptions').map(({ name }) => name);
    expect(names).toEqual(Object.keys(OPTION_EXAMPLES));
    expect(() => membersOf(types, `${contract}/adapter.ts`, 'TerminalSize')).toThrow(
      /TerminalSize.cols has no comment/,
    );
  });

  it('is a schema of what JSON keeps: optional fields, null, lists, unions; no functions', () => {
    const field = types.exported('packages/core/src/contract/surroundings.ts', 'McpConfigForm');
    const schema = schemaDocument(types, types.checker.getDeclaredTypeOfSymbol(field), { title: '', description: '' });
    expect(schema).toMatchObject({
      $ref: '#/$defs/McpConfigForm',
      $defs: {
        McpConfigForm: {
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
