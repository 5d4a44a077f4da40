/**
 * OpenTelemetry logs in OTLP's JSON form, as collectors' file receivers read them: an ExportLogsServiceRequest on each
 * line, with the names of the semantic conventions where there are any.
 */
import type { AuditCall } from '../../../contract/hub-audit-api.ts';
import type { AuditForm } from './formats.ts';

type Attribute = { readonly key: string; readonly value: Readonly<Record<string, string | number>> };

const severities: Readonly<Record<AuditCall['outcome'], readonly [number, string]>> = {
  ok: [9, 'INFO'],
  cancelled: [9, 'INFO'],
  tool_error: [13, 'WARN'],
  denied: [13, 'WARN'],
  timeout: [17, 'ERROR'],
  failed: [17, 'ERROR'],
};

function attributesOf(call: AuditCall): Attribute[] {
  const values: Readonly<Record<string, string | number | null>> = {
    'vp.hub.id': call.hub_id,
    'vp.hub': call.hub,
    'vp.audit.seq': call.seq,
    'user.id': call.person_id,
    'user.name': call.person,
    'user.roles': call.role,
    'vp.via': call.via,
    'vp.via.id': call.via_id,
    'vp.via.name': call.via_name,
    'user_agent.name': call.client,
    'user_agent.version': call.client_version,
    'mcp.method.name': call.method,
    'vp.connection': call.connection,
    'gen_ai.tool.name': call.tool,
    'vp.outcome': call.outcome,
    'error.type': call.outcome === 'ok' ? null : call.outcome,
    'error.message': call.reason,
    'vp.duration_ms': call.duration_ms,
    'vp.request.bytes': call.request_bytes,
    'vp.answer.bytes': call.answer_bytes,
    'vp.request.id': call.request_id,
    'vp.arguments.digest': call.arguments_digest,
    'gen_ai.tool.call.arguments': call.arguments,
  };
  return Object.entries(values).flatMap(([key, value]) => (value === null ? [] : [{ key, value: anyValue(value) }]));
}

/** OTLP's JSON has whole numbers of 64 bits as text. */
function anyValue(value: string | number): Attribute['value'] {
  if (typeof value === 'string') return { stringValue: value };
  return Number.isInteger(value) ? { intValue: String(value) } : { doubleValue: value };
}

function recordOf(call: AuditCall): object {
  const [severityNumber, severityText] = severities[call.outcome];
  const timeUnixNano = `${Date.parse(call.at)}000000`;
  const what = [call.method, call.connection, call.tool].filter((part) => part !== null).join(' ');
  return {
    timeUnixNano,
    observedTimeUnixNano: timeUnixNano,
    severityNumber,
    severityText,
    eventName: 'vp.hub.call',
    body: { stringValue: `${call.person}: ${what}: ${call.outcome}` },
    attributes: attributesOf(call),
  };
}

/** See the file's header. */
export const openTelemetry: AuditForm = {
  mediaType: 'application/x-ndjson',
  extension: 'otlp.jsonl',
  head: '',
  text(calls) {
    if (calls.length === 0) return '';
    const resource = { attributes: [{ key: 'service.name', value: { stringValue: 'vp-hub' } }] };
    const scopeLogs = [{ scope: { name: 'vp.hub.audit' }, logRecords: calls.map(recordOf) }];
    return `${JSON.stringify({ resourceLogs: [{ resource, scopeLogs }] })}\n`;
  },
};
