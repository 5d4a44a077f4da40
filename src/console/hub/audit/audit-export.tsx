import { useMutation } from '@tanstack/react-query';
import type { AuditExportFormat } from '../../../contract/hubs/audit-api.ts';
import { saveFile } from '../../browser.ts';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { Select } from '../../components/select.tsx';
import { useClient } from '../../session/client.ts';

const formats = [
  ['', 'Export…'],
  ['jsonl', 'JSON lines'],
  ['csv', 'CSV'],
  ['otel', 'OpenTelemetry'],
] as const;

/** Exports all calls since `from`, regardless of other filters. A plain link could not send the session proof header. */
export function AuditExport({ hub, from }: { hub: string; from: string | undefined }) {
  const { hubAudit } = useClient();
  const save = useMutation({
    mutationFn: async (format: AuditExportFormat) => {
      const text = await hubAudit.readExport(hub, format, from === undefined ? {} : { from });
      saveFile(`${hub}-audit.${format === 'csv' ? 'csv' : 'jsonl'}`, text);
    },
  });
  return (
    <>
      <Select
        hideLabel
        label="Export"
        value=""
        options={formats}
        onSelect={(format) => (format === '' ? undefined : save.mutate(format))}
      />
      {save.error ? <ErrorNotice error={save.error} /> : null}
    </>
  );
}
