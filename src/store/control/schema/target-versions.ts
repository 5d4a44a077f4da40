/** Runs of one version of the target, for comparisons; runs without a version cost nothing. */
export const targetVersionsMigration = `
CREATE INDEX runs_by_version ON runs (instance_id, target_version, id) WHERE target_version IS NOT NULL;
`;
