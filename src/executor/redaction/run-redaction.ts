/** Removes the secrets of the project from one run, and those that the run captured. */
import type { Evidence, HeaderList, SentRequest } from '../../run/evidence.ts';
import { createRedactor, type Redactor } from './redactor.ts';

export type RunRedaction = {
  /** With every secret that is known so far. */
  readonly redactor: Redactor;
  /** True when one of the values was not known before. */
  add(values: readonly string[]): boolean;
  /** Request and response that were made displayable before a value was captured. */
  redactExchange(evidence: Evidence): Evidence;
};

/** `secrets` are those of the project, `visible` those among them that checks may see. */
export function createRunRedaction(
  projectRedactor: Redactor,
  secrets: readonly string[],
  visible: readonly string[],
): RunRedaction {
  const captured = new Set<string>();
  const run = {
    redactor: projectRedactor,
    add(values: readonly string[]): boolean {
      const unknown = values.filter((value) => value !== '' && !captured.has(value));
      if (unknown.length === 0) return false;
      for (const value of unknown) captured.add(value);
      run.redactor = createRedactor([...secrets, ...captured], [...visible, ...captured]);
      return true;
    },
    redactExchange: (evidence: Evidence): Evidence =>
      captured.size === 0 ? evidence : redactEvidenceExchange(evidence, run.redactor),
  };
  return run;
}

function redactEvidenceExchange(evidence: Evidence, { redactText }: Redactor): Evidence {
  const redactHeaders = (headers: HeaderList): HeaderList => headers.map(([name, value]) => [name, redactText(value)]);
  const { request, response } = evidence;
  const sent: SentRequest | undefined = request && {
    ...request,
    url: redactText(request.url),
    headers: redactHeaders(request.headers),
    body: request.body === undefined ? undefined : redactText(request.body),
  };
  const text = response?.displayedBody.text;
  const received = response && {
    ...response,
    headers: redactHeaders(response.headers),
    displayedBody: { ...response.displayedBody, text: text === undefined ? undefined : redactText(text) },
  };
  return { ...evidence, request: sent, response: received };
}
