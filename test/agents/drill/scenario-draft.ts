/** Writes the scenarios of the scripted agent. */

/** What a failure means: its kind, or by the check that failed. */
export type Meaning = string | { readonly status: string; readonly others: string };

export type Draft = {
  readonly id: string;
  readonly meaning: Meaning;
  readonly request: DraftRequest;
  readonly checks: readonly string[];
  readonly steps?: readonly DraftStep[];
  readonly cases?: readonly (readonly string[])[];
  readonly schema?: object;
  readonly readsLog?: boolean;
};

export type DraftRequest = {
  readonly method: string;
  readonly path: string;
  /** Undefined: the config's; empty: none. */
  readonly token?: string;
  readonly body?: object | string;
};

export type DraftStep = DraftRequest & { readonly name: string; readonly bullets: readonly string[] };

const formatBullets = (bullets: readonly string[]): string => bullets.map((bullet) => `- ${bullet}`).join('\n');

function formatRequest({ method, path, token, body }: DraftRequest): string {
  const lines = [`${method} \${INGESTION_URL}${path}`, 'X-Request-Id: ${correlation_id}'];
  if (token !== undefined) lines.push(token === '' ? 'Authorization:' : `Authorization: Bearer ${token}`);
  if (body === undefined) return lines.join('\n');
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return [...lines, 'Content-Type: application/json', '', '~~~json', text, '~~~'].join('\n');
}

const formatTable = ([head = [], ...rows]: readonly (readonly string[])[]): string =>
  [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');

export function formatDraft({ id, request, checks, steps = [], cases, schema, readsLog = false }: Draft): string {
  const stepTexts = steps.map((step) => `### ${step.name}\n\n${formatRequest(step)}\n\n${formatBullets(step.bullets)}`);
  return [
    `# Scenario: ${request.method} ${id}`,
    `## Metadata\n\n- ID: ${id}\n- Layer: HTTP Ingestion${readsLog ? ' + Log' : ''}`,
    ...(steps.length === 0 ? [] : [`## STEPS\n\n${stepTexts.join('\n\n')}`]),
    `## TRIGGER\n\n${formatRequest(request)}`,
    `## EXPECT\n\n### Runnable\n\n${formatBullets(checks)}`,
    ...(cases === undefined ? [] : [`## CASES\n\n${formatTable(cases)}`]),
    ...(schema === undefined ? [] : [`## FILES\n\n### answer.json\n\n~~~\n${JSON.stringify(schema)}\n~~~`]),
    '',
  ].join('\n\n');
}
