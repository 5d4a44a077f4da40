/** Runs the scenarios of a tool against its waiting definition, as the caller. */
import type { HubToolVerification, VerifyHubToolRequest } from '../../contract/hubs/tool-verification-api.ts';
import type { CallTool } from '../../control/control.ts';
import { VpError } from '../../errors/vp-error.ts';
import type { PersonCaller } from '../../identity/caller.ts';
import type { ServerServices } from '../services.ts';

type Verification = VerifyHubToolRequest & { readonly caller: PersonCaller; readonly hub: string };

/** Refusals that a client of the hub gets as an error of the protocol. */
const protocolErrors: readonly string[] = ['HUB_TOOL_UNKNOWN', 'UPSTREAM_CALL_REFUSED', 'HUB_CALL_ASKS'];

/** Throws HUB_UNKNOWN, HUB_ROLE_INSUFFICIENT, TOOL_PIN_UNKNOWN, TOOL_PIN_APPROVED, TOOL_PIN_TOO_LARGE, TOOL_PIN_CHANGED. */
export async function verifyHubTool(
  { control, hubGateway }: Pick<ServerServices, 'control' | 'hubGateway'>,
  { caller, hub, connection, tool, digest }: Verification,
  signal: AbortSignal,
): Promise<HubToolVerification> {
  await hubGateway.governance.assertWaiting(caller, hub, { connection, tool, digest });
  const tester = await hubGateway.connectionTester();
  const name = `${connection}__${tool}`;
  const call: CallTool = async (args, limitedSignal) => {
    const options = { signal: limitedSignal, requestBytes: 0, trialDigest: digest };
    try {
      const { result } = await tester.call(caller, hub, { name, arguments: args }, options);
      return control.toolScenarios.toOutcome(tester.formatResult(result));
    } catch (error) {
      if (!(error instanceof VpError)) throw error;
      if (error.code === 'HUB_CALL_DENIED') return { status: 403, text: JSON.stringify({ text: error.message }) };
      if (!protocolErrors.includes(error.code))
        return { kind: 'target_unreachable', message: error.message, cure: error.cure };
      const { number = -32603 } = error.values;
      return { status: 400, text: JSON.stringify({ code: number, message: error.message }) };
    }
  };
  return { digest, ...(await control.toolScenarios.run(name, call, signal)) };
}
