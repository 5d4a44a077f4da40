import { useMutation } from '@tanstack/react-query';
import type { AuditFormat } from '../../contract/hub-audit-api.ts';
import { Choice } from '../parts/choice.tsx';
import { Problem } from '../parts/problem.tsx';
import { useConnection } from '../session/connection.ts';

const formats = [
  ['', 'Export…'],
  ['jsonl', 'JSON lines'],
  ['csv', 'CSV'],
  ['otel', 'OpenTelemetry'],
] as const;

/** Saves all calls since `from`, whatever else is filtered. A link could not show the page's half of the session. */
export function AuditExport({ hub, from }: { hub: string; from: string | undefined }) {
  const { hubAudit: audit } = useConnection();
  const save = useMutation({
    mutationFn: async (format: AuditFormat) => {
      const text = await audit.exported(hub, format, from === undefined ? {} : { from });
      saveFile(`${hub}-audit.${format === 'csv' ? 'csv' : 'jsonl'}`, text);
    },
  });
  return (
    <>
      <Choice
        bare
        label="Export"
        value=""
        options={formats}
        onChoose={(format) => (format === '' ? undefined : save.mutate(format))}
      />
      {save.error ? <Problem error={save.error} /> : null}
    </>
  );
}

function saveFile(name: string, text: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([text]));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}
