/** The `Layer` of a scenario: which evidence its checks may use. */
import { findSuggestion } from '../errors/suggestion.ts';

/** A layer. Checks of the log and the database need a layer that has them; the response is judged in every layer. */
export type LayerDefinition = { readonly name: string; readonly database: boolean; readonly log: boolean };

export const layerDefinitions = [
  { name: 'HTTP Ingestion', database: false, log: false },
  { name: 'HTTP Ingestion + Database', database: true, log: false },
  { name: 'HTTP Ingestion + Log', database: false, log: true },
  { name: 'HTTP Ingestion + Database + Log', database: true, log: true },
] as const satisfies readonly LayerDefinition[];

/** A name of {@link layerDefinitions}. */
export type Layer = (typeof layerDefinitions)[number]['name'];

export function getLayer(name: Layer): LayerDefinition {
  return layerDefinitions.find((layer) => layer.name === name) ?? layerDefinitions[0];
}

/** The layer with exactly this evidence. */
export function findLayerByEvidence(database: boolean, log: boolean): Layer {
  return (layerDefinitions.find((layer) => layer.database === database && layer.log === log) ?? layerDefinitions[0])
    .name;
}

/** The layer that `written` names; case, spaces and the order of the additions do not matter. */
export function findLayer(written: string): Layer | undefined {
  const [base, ...added] = written.toLowerCase().split('+');
  if (base?.trim().replaceAll(/\s+/g, ' ') !== 'http ingestion' || added.length > 2) return undefined;
  const parts = new Set(added.map((part) => part.trim()));
  const [database, log] = [parts.has('database'), parts.has('log')];
  return Number(database) + Number(log) === added.length ? findLayerByEvidence(database, log) : undefined;
}

/** Words that people use for the evidence of a layer. */
const synonyms: Readonly<Record<string, string>> = {
  db: 'database',
  sql: 'database',
  postgres: 'database',
  postgresql: 'database',
  logging: 'log',
  http: 'http ingestion',
};

function suggestPart(written: string): string | undefined {
  const word = written.trim().replaceAll(/\s+/g, ' ');
  return synonyms[word] ?? findSuggestion(word, ['http ingestion', 'database', 'log']);
}

/** The layer that was probably meant by the unknown name `written`. */
export function suggestLayer(written: string): Layer | undefined {
  if (written.length > 100) return undefined;
  const names = written.toLowerCase().split(/[+,&/]|\band\b/);
  const parts = names.filter((word) => word.trim() !== '').map(suggestPart);
  if (parts.length === 0 || parts.includes(undefined)) return undefined;
  return findLayerByEvidence(parts.includes('database'), parts.includes('log'));
}
