/** The text of a result for its caller: as it was sent where nothing in it has to change. */
import { findExactValue } from '../../json/exact-values.ts';
import { type JsonParts, joinParts } from '../../json/json-parts.ts';
import { takeTurnForText } from '../../timing/large-text-turn.ts';
import { type CredentialMask, noMask } from '../upstream/credential-masker.ts';
import { findSentParts, stringifyResult } from '../upstream/upstream-call.ts';
import type { McpResult } from './pending-calls.ts';

type ReceivedResult = {
  readonly upstreamResult: McpResult;
  /** The same object where nothing has to change. */
  readonly publicResult: McpResult;
  toPublic(received: McpResult): McpResult;
  readonly mask: CredentialMask;
};

/** `isMasked`: the text is not that of the public result. */
type ResultText = { readonly parts: JsonParts; readonly isMasked: boolean };

/** A promise only for a text that takes long to search. */
export function toResultText({
  upstreamResult,
  publicResult,
  toPublic,
  mask,
}: ReceivedResult): ResultText | Promise<ResultText> {
  const sentParts = publicResult === upstreamResult ? findSentParts(upstreamResult) : undefined;
  if (sentParts && mask === noMask) return { parts: sentParts, isMasked: false };
  const exactResult = findExactValue(upstreamResult);
  const json = exactResult ? JSON.stringify(toPublic(exactResult)) : stringifyResult(publicResult, upstreamResult);
  const turn = takeTurnForText(json.length);
  return turn ? turn.then(() => maskText(json, sentParts, mask)) : maskText(json, sentParts, mask);
}

function maskText(json: string, sentParts: JsonParts | undefined, mask: CredentialMask): ResultText {
  const maskedJson = mask(json);
  // In a text that was sent, a secret can be written with escapes that the mask does not know: so it looks at both.
  const sentText = sentParts && joinParts(sentParts);
  const isAsSent = maskedJson === json && sentText !== undefined && mask(sentText) === sentText;
  return { parts: [isAsSent ? sentText : maskedJson], isMasked: maskedJson !== json };
}
