/** What a scenario may look at: its `Layer`. */

/** A layer. Checks of the log and the database need a layer that has them; the response is judged in every layer. */
export type LayerDefinition = { readonly name: string; readonly database: boolean; readonly log: boolean };

/** The table. */
export const layers = [
  { name: 'HTTP Ingestion', database: false, log: false },
  { name: 'HTTP Ingestion + Database', database: true, log: false },
  { name: 'HTTP Ingestion + Log', database: false, log: true },
  { name: 'HTTP Ingestion + Database + Log', database: true, log: true },
] as const satisfies readonly LayerDefinition[];

/** A name of {@link layers}. */
export type Layer = (typeof layers)[number]['name'];

/** What a layer has. */
export function layerOf(name: Layer): LayerDefinition {
  return layers.find((layer) => layer.name === name) ?? layers[0];
}
