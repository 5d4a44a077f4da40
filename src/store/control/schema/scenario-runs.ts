/**
 * Finished runs of a scenario by result: the newest one that passed is found without reading all that failed since, and runs of
 * a scenario with the same id in another instance are not read. A run is in one of them, once it has ended.
 */
export const scenarioRunsMigration = `
CREATE INDEX runs_passed_by_scenario ON runs (instance_id, scenario_id, id) WHERE state = 'passed';
CREATE INDEX runs_failed_by_scenario ON runs (instance_id, scenario_id, id) WHERE state = 'failed';
CREATE INDEX runs_cancelled_by_scenario ON runs (instance_id, scenario_id, id) WHERE state = 'cancelled';
`;
