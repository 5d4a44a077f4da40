/** The initial text of a new scenario. */
export const scenarioTemplate = `# Scenario: GET document

## Metadata

- ID: RT-GET-document
- Layer: HTTP Ingestion
- Tags: smoke

## TRIGGER

GET \${INGESTION_URL}/api/v2/document
X-Request-Id: \${correlation_id}

## EXPECT

### Runnable

- status=200
- body has data
`;
