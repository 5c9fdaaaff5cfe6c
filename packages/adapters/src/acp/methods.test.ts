import * as sdk from '@agentclientprotocol/sdk';
import { expect, it } from 'vitest';
import { AGENT_METHODS, CLIENT_METHODS, PROTOCOL_VERSION } from './methods.ts';

it('uses the version and the method names of the SDK', () => {
  expect(PROTOCOL_VERSION).toBe(sdk.PROTOCOL_VERSION);
  expect(sdk.AGENT_METHODS).toMatchObject(AGENT_METHODS);
  expect(sdk.CLIENT_METHODS).toMatchObject(CLIENT_METHODS);
});
