/** The tool list of a token on the command line, where `hub` stands for none of its own. */
import { type ToolListMode, toolListModes } from '../../contract/hubs/hubs-api.ts';

export const tokenToolListChoices = ['hub', ...toolListModes] as const;

/** Null: as its hub; undefined: not a tool list. */
export function parseTokenToolList(word: string | undefined): ToolListMode | null | undefined {
  return word === 'hub' ? null : toolListModes.find((mode) => mode === word);
}
