/**
 * OpenTelemetry logs in OTLP JSON, as the collector's file receiver reads them: one ExportLogsServiceRequest per line,
 * with names of the semantic conventions where they exist.
 */
import type { AuditCall } from '../../../contract/hubs/audit-api.ts';
import type { AuditFormatter } from './audit-formatter.ts';

type Attribute = { readonly key: string; readonly value: Readonly<Record<string, string | number>> };

const severities: Readonly<Record<AuditCall['outcome'], readonly [number, string]>> = {
  ok: [9, 'INFO'],
  cancelled: [9, 'INFO'],
  tool_error: [13, 'WARN'],
  denied: [13, 'WARN'],
  timeout: [17, 'ERROR'],
  failed: [17, 'ERROR'],
  started: [9, 'INFO'],
  unknown: [17, 'ERROR'],
};

function toAttributes(call: AuditCall): Attribute[] {
  const values: Readonly<Record<string, string | number | null>> = {
    'vp.hub.id': call.hub_id,
    'vp.hub': call.hub,
    'vp.audit.seq': call.seq,
    'vp.audit.intent_seq': call.intent_seq ?? null,
    'vp.audit.counts': call.counts ?? null,
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
    'error.type': call.outcome === 'ok' || call.outcome === 'started' ? null : call.outcome,
    'error.message': call.reason,
    'vp.duration_ms': call.duration_ms,
    'vp.request.bytes': call.request_bytes,
    'vp.answer.bytes': call.answer_bytes,
    'vp.request.id': call.request_id,
    'vp.arguments.digest': call.arguments_digest,
    'gen_ai.tool.call.arguments': call.arguments,
  };
  return Object.entries(values).flatMap(([key, value]) => (value === null ? [] : [{ key, value: toAnyValue(value) }]));
}

/** OTLP JSON encodes 64-bit integers as strings. */
function toAnyValue(value: string | number): Attribute['value'] {
  if (typeof value === 'string') return { stringValue: value };
  return Number.isInteger(value) ? { intValue: String(value) } : { doubleValue: value };
}

function toLogRecord(call: AuditCall): object {
  const [severityNumber, severityText] = severities[call.outcome];
  const timeUnixNano = `${Date.parse(call.at)}000000`;
  const summary = [call.method, call.connection, call.tool].filter((part) => part !== null).join(' ');
  return {
    timeUnixNano,
    observedTimeUnixNano: timeUnixNano,
    severityNumber,
    severityText,
    eventName: 'vp.hub.call',
    body: { stringValue: `${call.person}: ${summary}: ${call.outcome}` },
    attributes: toAttributes(call),
  };
}

export const openTelemetryFormat: AuditFormatter = {
  mediaType: 'application/x-ndjson',
  extension: 'otlp.jsonl',
  header: '',
  render(calls) {
    if (calls.length === 0) return '';
    const resource = { attributes: [{ key: 'service.name', value: { stringValue: 'vp-hub' } }] };
    const scopeLogs = [{ scope: { name: 'vp.hub.audit' }, logRecords: calls.map(toLogRecord) }];
    return `${JSON.stringify({ resourceLogs: [{ resource, scopeLogs }] })}\n`;
  },
};
