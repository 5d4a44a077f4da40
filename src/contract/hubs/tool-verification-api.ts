/** The scenarios of a tool, run against a definition that waits for approval, under /api/v1/hubs/{hub}/tools. */
import { type Static, Type } from '@sinclair/typebox';
import { nullable } from '../schemas.ts';

/**
 * POST /hubs/{hub}/tools/verify (owners): calls the tool as its scenarios say, with the caller's rights, while its definition waits. The
 * policy and the audit apply; only that the definition is not approved does not refuse these calls.
 */
export const VerifyHubToolRequest = Type.Object({
  connection: Type.String({ minLength: 1, maxLength: 100 }),
  tool: Type.String({ minLength: 1, maxLength: 300 }),
  /** Of the waiting definition. */
  digest: Type.String({ minLength: 1, maxLength: 100 }),
});
export type VerifyHubToolRequest = Static<typeof VerifyHubToolRequest>;

/** `broken`: could not be judged here, for the reason in `message`. */
const ToolScenarioResult = Type.Object({
  instance: Type.String(),
  scenario: Type.String(),
  revision: Type.Integer(),
  outcome: Type.Union([Type.Literal('passed'), Type.Literal('failed'), Type.Literal('broken')]),
  message: nullable(Type.String()),
  checks: Type.Array(
    Type.Object({
      text: Type.String(),
      /** Null for a check that was not judged. */
      passed: nullable(Type.Boolean()),
      /** What was seen instead, where it failed. */
      actual: nullable(Type.String()),
    }),
  ),
});
export type ToolScenarioResult = Static<typeof ToolScenarioResult>;

export const HubToolVerification = Type.Object({
  digest: Type.String(),
  /** Of every instance; empty where no scenario calls the tool. */
  results: Type.Array(ToolScenarioResult),
  /** Scenarios beyond the limit of one verification. */
  omitted: Type.Integer({ minimum: 0 }),
});
export type HubToolVerification = Static<typeof HubToolVerification>;
