/** Errors and warnings of the scenario language. */
export const scenarioErrors = {} as const;
