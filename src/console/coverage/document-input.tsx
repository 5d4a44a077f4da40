import { useId, useState } from 'react';

type DocumentInputProps = { readonly label: string; readonly onDocument: (name: string, text: string) => void };

/** A file of this machine, read by the browser. */
export function DocumentInput({ label, onDocument }: DocumentInputProps) {
  const id = useId();
  const [problem, setProblem] = useState<string>();
  const read = async (file: File): Promise<void> => {
    try {
      const text = await file.text();
      setProblem(undefined);
      onDocument(file.name, text);
    } catch {
      setProblem(`${file.name} could not be read: choose it again.`);
    }
  };
  return (
    <div className="file-input">
      <label htmlFor={id}>{label}</label>
      <input
        id={id}
        type="file"
        accept=".json,.yaml,.yml,application/json,application/yaml"
        onChange={({ target }) => {
          const [file] = target.files ?? [];
          // So that the same file can be chosen again after a change.
          if (file) void read(file).then(() => (target.value = ''));
        }}
      />
      {problem === undefined ? null : <p role="alert">{problem}</p>}
    </div>
  );
}
