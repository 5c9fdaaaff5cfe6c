/*
 * Protocol names that this codec sends or receives. Written here, since the SDK loads all its schemas with them; a test
 * compares them with the SDK's.
 */

export const PROTOCOL_VERSION = 1;

/** Requests of a client to an agent. */
export const AGENT_METHODS = {
  initialize: 'initialize',
  authenticate: 'authenticate',
  session_new: 'session/new',
  session_load: 'session/load',
  session_resume: 'session/resume',
  session_set_mode: 'session/set_mode',
  session_set_config_option: 'session/set_config_option',
  session_prompt: 'session/prompt',
  session_cancel: 'session/cancel',
  session_close: 'session/close',
} as const;

/** Requests and notifications of an agent to a client. */
export const CLIENT_METHODS = {
  session_update: 'session/update',
  session_request_permission: 'session/request_permission',
  elicitation_create: 'elicitation/create',
} as const;

/** In the unstable part of the schema, or no longer in it; agents that support them answer to these names. */
export const UNSTABLE_METHODS = { session_fork: 'session/fork', session_set_model: 'session/set_model' } as const;
