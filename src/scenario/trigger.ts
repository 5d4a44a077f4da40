/** Parses `## TRIGGER` into a `Trigger`. */
import { checkMultipart, readEncodedBody } from './body-encoding.ts';
import { isGrpcCall, readGrpcCall } from './grpc-call.ts';
import { readHeaders, warnAboutMissingRequestId } from './headers.ts';
import type { Section } from './outline.ts';
import { readRequestLine } from './request-line.ts';
import type { Method, Template, Trigger } from './scenario.ts';
import { toRange } from './source.ts';
import { readTemplate, type TemplateContext } from './template.ts';
import { isToolCall, readToolCall } from './tool-call.ts';
import { readTriggerLayout, type TriggerLayout } from './trigger-layout.ts';

function readBody({ body }: TriggerLayout, context: TemplateContext): Template | undefined {
  return body === undefined || body.length === 0 ? undefined : readTemplate(body, context);
}

function checkBody(
  method: Method | undefined,
  body: Template | undefined,
  hasType: boolean,
  { report }: TemplateContext,
): void {
  if (body === undefined) return;
  const { start, end } = body.range;
  if (method === 'TRACE') report('SCENARIO_BODY_REFUSED', start.offset, end.offset, { method });
  if (!hasType) {
    report('SCENARIO_CONTENT_TYPE_MISSING', start.offset, end.offset, {});
  }
}

/**
 * Parses the request; undefined if it cannot be sent. Every problem is reported. That a step lets the target log the run's id is
 * not required.
 */
export function readTrigger(
  section: Section,
  context: TemplateContext,
  { isStep = false }: { readonly isStep?: boolean } = {},
): Trigger | undefined {
  const layout = readTriggerLayout(section, context.report);
  const [first, ...rest] = layout?.head ?? [];
  const [heading] = section.heading.lines;
  if (layout === undefined || first === undefined) {
    context.report('SCENARIO_TRIGGER_EMPTY', heading.start, heading.end, {});
    return undefined;
  }
  if (isToolCall(first)) return readToolCall({ head: layout.head, body: layout.body }, context);
  if (isGrpcCall(first)) return readGrpcCall(layout, context, { isStep });
  const { method, path } = readRequestLine(first, context);
  const headers = readHeaders(rest, context);
  const hasOwnType = headers.some(({ name }) => name.toLowerCase() === 'content-type');
  const encoded = hasOwnType ? undefined : readEncodedBody(layout.bodyFence?.info, layout.body ?? [], context);
  checkMultipart(layout.bodyFence, headers, context);
  const body = encoded?.body ?? readBody(layout, context);
  checkBody(method, body, hasOwnType || encoded !== undefined, context);
  if (method === undefined || path === undefined) return undefined;
  if (!isStep) warnAboutMissingRequestId(headers, first, context);
  const last = rest.at(-1) ?? first;
  const lastPiece = layout.body?.at(-1) ?? last;
  const end = lastPiece.start + lastPiece.text.length;
  return { method, path, headers, body, encoding: encoded?.encoding, range: toRange(context.source, first.start, end) };
}
