/** The text of a result for its caller: as it was sent where nothing in it has to change. */
import { findExactValue } from '../../json/exact-values.ts';
import { takeTurnForText } from '../../timing/large-text-turn.ts';
import { type CredentialMask, noMask } from '../upstream/credential-masker.ts';
import { findSentText, stringifyResult } from '../upstream/upstream-call.ts';
import type { McpResult } from './pending-calls.ts';

type ReceivedResult = {
  readonly upstreamResult: McpResult;
  /** The same object where nothing has to change. */
  readonly publicResult: McpResult;
  toPublic(received: McpResult): McpResult;
  readonly mask: CredentialMask;
};

/** `isMasked`: the text is not that of the public result. */
export async function toResultText({
  upstreamResult,
  publicResult,
  toPublic,
  mask,
}: ReceivedResult): Promise<{ readonly json: string; readonly isMasked: boolean }> {
  const sentText = publicResult === upstreamResult ? findSentText(upstreamResult) : undefined;
  if (sentText !== undefined && mask === noMask) return { json: sentText, isMasked: false };
  const exactResult = findExactValue(upstreamResult);
  const json = exactResult ? JSON.stringify(toPublic(exactResult)) : stringifyResult(publicResult, upstreamResult);
  await takeTurnForText(json.length);
  const maskedJson = mask(json);
  // In a text that was sent, a secret can be written with escapes that the mask does not know: so it looks at both.
  const isAsSent = maskedJson === json && sentText !== undefined && mask(sentText) === sentText;
  return { json: isAsSent ? sentText : maskedJson, isMasked: maskedJson !== json };
}
