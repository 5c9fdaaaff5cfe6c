import { POLICY_DECISIONS, REMEMBER_SCOPES, TOOL_KINDS } from '@agent-mux/core';
import { expect, it } from 'vitest';
import { NewRuleSchema, RememberScopeSchema, ToolKindSchema } from './policy.ts';

it('matches the tool kinds of the SDK', () => {
  expect(ToolKindSchema.options).toEqual([...TOOL_KINDS]);
  expect(RememberScopeSchema.options).toEqual([...REMEMBER_SCOPES]);
  expect(NewRuleSchema.shape.decision.options).toEqual([...POLICY_DECISIONS]);
});
