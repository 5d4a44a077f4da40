// Generated from platform-config.schema.json by generate-validator.ts; `node build.mjs` regenerates it.
// biome-ignore-all lint: generated
// biome-ignore-all format: generated
// @ts-nocheck
"use strict";
export const validate = validate10;
const schema11 = {"$schema":"http://json-schema.org/draft-07/schema#","$id":"urn:vp:platform-config","type":"object","additionalProperties":false,"required":["project","targets"],"properties":{"project":{"type":"object","additionalProperties":false,"required":["name"],"properties":{"name":{"type":"string","pattern":"^\\S(.{0,98}\\S)?$"}}},"targets":{"type":"object","additionalProperties":false,"required":["http"],"properties":{"http":{"type":"object","additionalProperties":false,"required":["base_url"],"properties":{"base_url":{"type":"string","pattern":"\\S"}}},"grpc":{"type":"object","additionalProperties":false,"required":["base_url"],"properties":{"base_url":{"type":"string","pattern":"\\S"}}},"database":{"type":"object","additionalProperties":false,"required":["type","jdbc_url","username","password"],"properties":{"type":{"type":"string","enum":["postgres"]},"jdbc_url":{"type":"string","pattern":"\\S"},"username":{"type":"string","pattern":"\\S"},"password":{"type":"string","pattern":"\\S"}}},"auth":{"type":"object","additionalProperties":false,"required":["type","bearer_token"],"properties":{"type":{"type":"string","enum":["bearer"]},"bearer_token":{"type":"string","pattern":"\\S"}}}}},"deploy":{"type":"object","additionalProperties":false,"required":["compose_project","network"],"properties":{"compose_project":{"type":"string","pattern":"^[a-z0-9][a-z0-9_-]*$"},"network":{"type":"string","pattern":"^[A-Za-z0-9][A-Za-z0-9_.-]*$"}}},"observability":{"type":"object","additionalProperties":false,"properties":{"logstore":{"type":"object","additionalProperties":false,"required":["correlation_field"],"properties":{"log_format":{"type":"string","enum":["json"],"default":"json"},"correlation_field":{"type":"string","pattern":"\\S"},"level_field":{"type":"string","pattern":"\\S"},"error_match":{"type":["string","integer"],"pattern":"\\S"},"saga_event_field":{"type":"string","pattern":"\\S"},"saga_event_value":{"type":["string","integer","boolean"],"pattern":"\\S"},"services":{"type":"array","maxItems":64,"items":{"type":"string","pattern":"^[A-Za-z0-9][A-Za-z0-9_.-]*$"}}},"dependencies":{"saga_event_field":["saga_event_value"],"saga_event_value":["saga_event_field"]}},"version":{"type":"object","additionalProperties":false,"properties":{"header":{"type":"string","pattern":"^[A-Za-z0-9-]{1,100}$"},"path":{"type":"string","pattern":"^/[!-~]{0,499}$"},"field":{"type":"string","pattern":"\\S"}},"dependencies":{"field":["path"]}},"dashboard":{"type":"object","additionalProperties":false,"properties":{"public_url":{"type":"object","additionalProperties":false,"properties":{"compose":{"type":"string","pattern":"\\S"}}}}}}},"scenarios":{"type":"object","additionalProperties":false,"properties":{"variables":{"type":"array","maxItems":100,"items":{"type":"string","pattern":"^[A-Za-z_][A-Za-z0-9_]*$"}},"redacted_captures":{"type":"array","maxItems":100,"items":{"type":"string","pattern":"^[A-Za-z_][A-Za-z0-9_]*$"}}}}}};
const pattern0 = new RegExp("^\\S(.{0,98}\\S)?$", "u");
const pattern1 = new RegExp("\\S", "u");
const pattern7 = new RegExp("^[a-z0-9][a-z0-9_-]*$", "u");
const pattern8 = new RegExp("^[A-Za-z0-9][A-Za-z0-9_.-]*$", "u");
const pattern15 = new RegExp("^[A-Za-z0-9-]{1,100}$", "u");
const pattern16 = new RegExp("^/[!-~]{0,499}$", "u");
const pattern19 = new RegExp("^[A-Za-z_][A-Za-z0-9_]*$", "u");

function validate10(data, {instancePath="", parentData, parentDataProperty, rootData=data}={}){
/*# sourceURL="urn:vp:platform-config" */;
let vErrors = null;
let errors = 0;
if(data && typeof data == "object" && !Array.isArray(data)){
if(data.project === undefined){
const err0 = {instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: "project"}};
if(vErrors === null){
vErrors = [err0];
}
else {
vErrors.push(err0);
}
errors++;
}
if(data.targets === undefined){
const err1 = {instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: "targets"}};
if(vErrors === null){
vErrors = [err1];
}
else {
vErrors.push(err1);
}
errors++;
}
for(const key0 in data){
if(!(((((key0 === "project") || (key0 === "targets")) || (key0 === "deploy")) || (key0 === "observability")) || (key0 === "scenarios"))){
const err2 = {instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0}};
if(vErrors === null){
vErrors = [err2];
}
else {
vErrors.push(err2);
}
errors++;
}
}
if(data.project !== undefined){
let data0 = data.project;
if(data0 && typeof data0 == "object" && !Array.isArray(data0)){
if(data0.name === undefined){
const err3 = {instancePath:instancePath+"/project",schemaPath:"#/properties/project/required",keyword:"required",params:{missingProperty: "name"}};
if(vErrors === null){
vErrors = [err3];
}
else {
vErrors.push(err3);
}
errors++;
}
for(const key1 in data0){
if(!(key1 === "name")){
const err4 = {instancePath:instancePath+"/project",schemaPath:"#/properties/project/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key1}};
if(vErrors === null){
vErrors = [err4];
}
else {
vErrors.push(err4);
}
errors++;
}
}
if(data0.name !== undefined){
let data1 = data0.name;
if(typeof data1 === "string"){
if(!pattern0.test(data1)){
const err5 = {instancePath:instancePath+"/project/name",schemaPath:"#/properties/project/properties/name/pattern",keyword:"pattern",params:{pattern: "^\\S(.{0,98}\\S)?$"}};
if(vErrors === null){
vErrors = [err5];
}
else {
vErrors.push(err5);
}
errors++;
}
}
else {
const err6 = {instancePath:instancePath+"/project/name",schemaPath:"#/properties/project/properties/name/type",keyword:"type",params:{type: "string"}};
if(vErrors === null){
vErrors = [err6];
}
else {
vErrors.push(err6);
}
errors++;
}
}
}
else {
const err7 = {instancePath:instancePath+"/project",schemaPath:"#/properties/project/type",keyword:"type",params:{type: "object"}};
if(vErrors === null){
vErrors = [err7];
}
else {
vErrors.push(err7);
}
errors++;
}
}
if(data.targets !== undefined){
let data2 = data.targets;
if(data2 && typeof data2 == "object" && !Array.isArray(data2)){
if(data2.http === undefined){
const err8 = {instancePath:instancePath+"/targets",schemaPath:"#/properties/targets/required",keyword:"required",params:{missingProperty: "http"}};
if(vErrors === null){
vErrors = [err8];
}
else {
vErrors.push(err8);
}
errors++;
}
for(const key2 in data2){
if(!((((key2 === "http") || (key2 === "grpc")) || (key2 === "database")) || (key2 === "auth"))){
const err9 = {instancePath:instancePath+"/targets",schemaPath:"#/properties/targets/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key2}};
if(vErrors === null){
vErrors = [err9];
}
else {
vErrors.push(err9);
}
errors++;
}
}
if(data2.http !== undefined){
let data3 = data2.http;
if(data3 && typeof data3 == "object" && !Array.isArray(data3)){
if(data3.base_url === undefined){
const err10 = {instancePath:instancePath+"/targets/http",schemaPath:"#/properties/targets/properties/http/required",keyword:"required",params:{missingProperty: "base_url"}};
if(vErrors === null){
vErrors = [err10];
}
else {
vErrors.push(err10);
}
errors++;
}
for(const key3 in data3){
if(!(key3 === "base_url")){
const err11 = {instancePath:instancePath+"/targets/http",schemaPath:"#/properties/targets/properties/http/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key3}};
if(vErrors === null){
vErrors = [err11];
}
else {
vErrors.push(err11);
}
errors++;
}
}
if(data3.base_url !== undefined){
let data4 = data3.base_url;
if(typeof data4 === "string"){
if(!pattern1.test(data4)){
const err12 = {instancePath:instancePath+"/targets/http/base_url",schemaPath:"#/properties/targets/properties/http/properties/base_url/pattern",keyword:"pattern",params:{pattern: "\\S"}};
if(vErrors === null){
vErrors = [err12];
}
else {
vErrors.push(err12);
}
errors++;
}
}
else {
const err13 = {instancePath:instancePath+"/targets/http/base_url",schemaPath:"#/properties/targets/properties/http/properties/base_url/type",keyword:"type",params:{type: "string"}};
if(vErrors === null){
vErrors = [err13];
}
else {
vErrors.push(err13);
}
errors++;
}
}
}
else {
const err14 = {instancePath:instancePath+"/targets/http",schemaPath:"#/properties/targets/properties/http/type",keyword:"type",params:{type: "object"}};
if(vErrors === null){
vErrors = [err14];
}
else {
vErrors.push(err14);
}
errors++;
}
}
if(data2.grpc !== undefined){
let data5 = data2.grpc;
if(data5 && typeof data5 == "object" && !Array.isArray(data5)){
if(data5.base_url === undefined){
const err15 = {instancePath:instancePath+"/targets/grpc",schemaPath:"#/properties/targets/properties/grpc/required",keyword:"required",params:{missingProperty: "base_url"}};
if(vErrors === null){
vErrors = [err15];
}
else {
vErrors.push(err15);
}
errors++;
}
for(const key4 in data5){
if(!(key4 === "base_url")){
const err16 = {instancePath:instancePath+"/targets/grpc",schemaPath:"#/properties/targets/properties/grpc/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key4}};
if(vErrors === null){
vErrors = [err16];
}
else {
vErrors.push(err16);
}
errors++;
}
}
if(data5.base_url !== undefined){
let data6 = data5.base_url;
if(typeof data6 === "string"){
if(!pattern1.test(data6)){
const err17 = {instancePath:instancePath+"/targets/grpc/base_url",schemaPath:"#/properties/targets/properties/grpc/properties/base_url/pattern",keyword:"pattern",params:{pattern: "\\S"}};
if(vErrors === null){
vErrors = [err17];
}
else {
vErrors.push(err17);
}
errors++;
}
}
else {
const err18 = {instancePath:instancePath+"/targets/grpc/base_url",schemaPath:"#/properties/targets/properties/grpc/properties/base_url/type",keyword:"type",params:{type: "string"}};
if(vErrors === null){
vErrors = [err18];
}
else {
vErrors.push(err18);
}
errors++;
}
}
}
else {
const err19 = {instancePath:instancePath+"/targets/grpc",schemaPath:"#/properties/targets/properties/grpc/type",keyword:"type",params:{type: "object"}};
if(vErrors === null){
vErrors = [err19];
}
else {
vErrors.push(err19);
}
errors++;
}
}
if(data2.database !== undefined){
let data7 = data2.database;
if(data7 && typeof data7 == "object" && !Array.isArray(data7)){
if(data7.type === undefined){
const err20 = {instancePath:instancePath+"/targets/database",schemaPath:"#/properties/targets/properties/database/required",keyword:"required",params:{missingProperty: "type"}};
if(vErrors === null){
vErrors = [err20];
}
else {
vErrors.push(err20);
}
errors++;
}
if(data7.jdbc_url === undefined){
const err21 = {instancePath:instancePath+"/targets/database",schemaPath:"#/properties/targets/properties/database/required",keyword:"required",params:{missingProperty: "jdbc_url"}};
if(vErrors === null){
vErrors = [err21];
}
else {
vErrors.push(err21);
}
errors++;
}
if(data7.username === undefined){
const err22 = {instancePath:instancePath+"/targets/database",schemaPath:"#/properties/targets/properties/database/required",keyword:"required",params:{missingProperty: "username"}};
if(vErrors === null){
vErrors = [err22];
}
else {
vErrors.push(err22);
}
errors++;
}
if(data7.password === undefined){
const err23 = {instancePath:instancePath+"/targets/database",schemaPath:"#/properties/targets/properties/database/required",keyword:"required",params:{missingProperty: "password"}};
if(vErrors === null){
vErrors = [err23];
}
else {
vErrors.push(err23);
}
errors++;
}
for(const key5 in data7){
if(!((((key5 === "type") || (key5 === "jdbc_url")) || (key5 === "username")) || (key5 === "password"))){
const err24 = {instancePath:instancePath+"/targets/database",schemaPath:"#/properties/targets/properties/database/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key5}};
if(vErrors === null){
vErrors = [err24];
}
else {
vErrors.push(err24);
}
errors++;
}
}
if(data7.type !== undefined){
let data8 = data7.type;
if(typeof data8 !== "string"){
const err25 = {instancePath:instancePath+"/targets/database/type",schemaPath:"#/properties/targets/properties/database/properties/type/type",keyword:"type",params:{type: "string"}};
if(vErrors === null){
vErrors = [err25];
}
else {
vErrors.push(err25);
}
errors++;
}
if(!(data8 === "postgres")){
const err26 = {instancePath:instancePath+"/targets/database/type",schemaPath:"#/properties/targets/properties/database/properties/type/enum",keyword:"enum",params:{allowedValues: schema11.properties.targets.properties.database.properties.type.enum}};
if(vErrors === null){
vErrors = [err26];
}
else {
vErrors.push(err26);
}
errors++;
}
}
if(data7.jdbc_url !== undefined){
let data9 = data7.jdbc_url;
if(typeof data9 === "string"){
if(!pattern1.test(data9)){
const err27 = {instancePath:instancePath+"/targets/database/jdbc_url",schemaPath:"#/properties/targets/properties/database/properties/jdbc_url/pattern",keyword:"pattern",params:{pattern: "\\S"}};
if(vErrors === null){
vErrors = [err27];
}
else {
vErrors.push(err27);
}
errors++;
}
}
else {
const err28 = {instancePath:instancePath+"/targets/database/jdbc_url",schemaPath:"#/properties/targets/properties/database/properties/jdbc_url/type",keyword:"type",params:{type: "string"}};
if(vErrors === null){
vErrors = [err28];
}
else {
vErrors.push(err28);
}
errors++;
}
}
if(data7.username !== undefined){
let data10 = data7.username;
if(typeof data10 === "string"){
if(!pattern1.test(data10)){
const err29 = {instancePath:instancePath+"/targets/database/username",schemaPath:"#/properties/targets/properties/database/properties/username/pattern",keyword:"pattern",params:{pattern: "\\S"}};
if(vErrors === null){
vErrors = [err29];
}
else {
vErrors.push(err29);
}
errors++;
}
}
else {
const err30 = {instancePath:instancePath+"/targets/database/username",schemaPath:"#/properties/targets/properties/database/properties/username/type",keyword:"type",params:{type: "string"}};
if(vErrors === null){
vErrors = [err30];
}
else {
vErrors.push(err30);
}
errors++;
}
}
if(data7.password !== undefined){
let data11 = data7.password;
if(typeof data11 === "string"){
if(!pattern1.test(data11)){
const err31 = {instancePath:instancePath+"/targets/database/password",schemaPath:"#/properties/targets/properties/database/properties/password/pattern",keyword:"pattern",params:{pattern: "\\S"}};
if(vErrors === null){
vErrors = [err31];
}
else {
vErrors.push(err31);
}
errors++;
}
}
else {
const err32 = {instancePath:instancePath+"/targets/database/password",schemaPath:"#/properties/targets/properties/database/properties/password/type",keyword:"type",params:{type: "string"}};
if(vErrors === null){
vErrors = [err32];
}
else {
vErrors.push(err32);
}
errors++;
}
}
}
else {
const err33 = {instancePath:instancePath+"/targets/database",schemaPath:"#/properties/targets/properties/database/type",keyword:"type",params:{type: "object"}};
if(vErrors === null){
vErrors = [err33];
}
else {
vErrors.push(err33);
}
errors++;
}
}
if(data2.auth !== undefined){
let data12 = data2.auth;
if(data12 && typeof data12 == "object" && !Array.isArray(data12)){
if(data12.type === undefined){
const err34 = {instancePath:instancePath+"/targets/auth",schemaPath:"#/properties/targets/properties/auth/required",keyword:"required",params:{missingProperty: "type"}};
if(vErrors === null){
vErrors = [err34];
}
else {
vErrors.push(err34);
}
errors++;
}
if(data12.bearer_token === undefined){
const err35 = {instancePath:instancePath+"/targets/auth",schemaPath:"#/properties/targets/properties/auth/required",keyword:"required",params:{missingProperty: "bearer_token"}};
if(vErrors === null){
vErrors = [err35];
}
else {
vErrors.push(err35);
}
errors++;
}
for(const key6 in data12){
if(!((key6 === "type") || (key6 === "bearer_token"))){
const err36 = {instancePath:instancePath+"/targets/auth",schemaPath:"#/properties/targets/properties/auth/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key6}};
if(vErrors === null){
vErrors = [err36];
}
else {
vErrors.push(err36);
}
errors++;
}
}
if(data12.type !== undefined){
let data13 = data12.type;
if(typeof data13 !== "string"){
const err37 = {instancePath:instancePath+"/targets/auth/type",schemaPath:"#/properties/targets/properties/auth/properties/type/type",keyword:"type",params:{type: "string"}};
if(vErrors === null){
vErrors = [err37];
}
else {
vErrors.push(err37);
}
errors++;
}
if(!(data13 === "bearer")){
const err38 = {instancePath:instancePath+"/targets/auth/type",schemaPath:"#/properties/targets/properties/auth/properties/type/enum",keyword:"enum",params:{allowedValues: schema11.properties.targets.properties.auth.properties.type.enum}};
if(vErrors === null){
vErrors = [err38];
}
else {
vErrors.push(err38);
}
errors++;
}
}
if(data12.bearer_token !== undefined){
let data14 = data12.bearer_token;
if(typeof data14 === "string"){
if(!pattern1.test(data14)){
const err39 = {instancePath:instancePath+"/targets/auth/bearer_token",schemaPath:"#/properties/targets/properties/auth/properties/bearer_token/pattern",keyword:"pattern",params:{pattern: "\\S"}};
if(vErrors === null){
vErrors = [err39];
}
else {
vErrors.push(err39);
}
errors++;
}
}
else {
const err40 = {instancePath:instancePath+"/targets/auth/bearer_token",schemaPath:"#/properties/targets/properties/auth/properties/bearer_token/type",keyword:"type",params:{type: "string"}};
if(vErrors === null){
vErrors = [err40];
}
else {
vErrors.push(err40);
}
errors++;
}
}
}
else {
const err41 = {instancePath:instancePath+"/targets/auth",schemaPath:"#/properties/targets/properties/auth/type",keyword:"type",params:{type: "object"}};
if(vErrors === null){
vErrors = [err41];
}
else {
vErrors.push(err41);
}
errors++;
}
}
}
else {
const err42 = {instancePath:instancePath+"/targets",schemaPath:"#/properties/targets/type",keyword:"type",params:{type: "object"}};
if(vErrors === null){
vErrors = [err42];
}
else {
vErrors.push(err42);
}
errors++;
}
}
if(data.deploy !== undefined){
let data15 = data.deploy;
if(data15 && typeof data15 == "object" && !Array.isArray(data15)){
if(data15.compose_project === undefined){
const err43 = {instancePath:instancePath+"/deploy",schemaPath:"#/properties/deploy/required",keyword:"required",params:{missingProperty: "compose_project"}};
if(vErrors === null){
vErrors = [err43];
}
else {
vErrors.push(err43);
}
errors++;
}
if(data15.network === undefined){
const err44 = {instancePath:instancePath+"/deploy",schemaPath:"#/properties/deploy/required",keyword:"required",params:{missingProperty: "network"}};
if(vErrors === null){
vErrors = [err44];
}
else {
vErrors.push(err44);
}
errors++;
}
for(const key7 in data15){
if(!((key7 === "compose_project") || (key7 === "network"))){
const err45 = {instancePath:instancePath+"/deploy",schemaPath:"#/properties/deploy/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key7}};
if(vErrors === null){
vErrors = [err45];
}
else {
vErrors.push(err45);
}
errors++;
}
}
if(data15.compose_project !== undefined){
let data16 = data15.compose_project;
if(typeof data16 === "string"){
if(!pattern7.test(data16)){
const err46 = {instancePath:instancePath+"/deploy/compose_project",schemaPath:"#/properties/deploy/properties/compose_project/pattern",keyword:"pattern",params:{pattern: "^[a-z0-9][a-z0-9_-]*$"}};
if(vErrors === null){
vErrors = [err46];
}
else {
vErrors.push(err46);
}
errors++;
}
}
else {
const err47 = {instancePath:instancePath+"/deploy/compose_project",schemaPath:"#/properties/deploy/properties/compose_project/type",keyword:"type",params:{type: "string"}};
if(vErrors === null){
vErrors = [err47];
}
else {
vErrors.push(err47);
}
errors++;
}
}
if(data15.network !== undefined){
let data17 = data15.network;
if(typeof data17 === "string"){
if(!pattern8.test(data17)){
const err48 = {instancePath:instancePath+"/deploy/network",schemaPath:"#/properties/deploy/properties/network/pattern",keyword:"pattern",params:{pattern: "^[A-Za-z0-9][A-Za-z0-9_.-]*$"}};
if(vErrors === null){
vErrors = [err48];
}
else {
vErrors.push(err48);
}
errors++;
}
}
else {
const err49 = {instancePath:instancePath+"/deploy/network",schemaPath:"#/properties/deploy/properties/network/type",keyword:"type",params:{type: "string"}};
if(vErrors === null){
vErrors = [err49];
}
else {
vErrors.push(err49);
}
errors++;
}
}
}
else {
const err50 = {instancePath:instancePath+"/deploy",schemaPath:"#/properties/deploy/type",keyword:"type",params:{type: "object"}};
if(vErrors === null){
vErrors = [err50];
}
else {
vErrors.push(err50);
}
errors++;
}
}
if(data.observability !== undefined){
let data18 = data.observability;
if(data18 && typeof data18 == "object" && !Array.isArray(data18)){
for(const key8 in data18){
if(!(((key8 === "logstore") || (key8 === "version")) || (key8 === "dashboard"))){
const err51 = {instancePath:instancePath+"/observability",schemaPath:"#/properties/observability/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key8}};
if(vErrors === null){
vErrors = [err51];
}
else {
vErrors.push(err51);
}
errors++;
}
}
if(data18.logstore !== undefined){
let data19 = data18.logstore;
if(data19 && typeof data19 == "object" && !Array.isArray(data19)){
if(data19.correlation_field === undefined){
const err52 = {instancePath:instancePath+"/observability/logstore",schemaPath:"#/properties/observability/properties/logstore/required",keyword:"required",params:{missingProperty: "correlation_field"}};
if(vErrors === null){
vErrors = [err52];
}
else {
vErrors.push(err52);
}
errors++;
}
for(const key9 in data19){
if(!(((((((key9 === "log_format") || (key9 === "correlation_field")) || (key9 === "level_field")) || (key9 === "error_match")) || (key9 === "saga_event_field")) || (key9 === "saga_event_value")) || (key9 === "services"))){
const err53 = {instancePath:instancePath+"/observability/logstore",schemaPath:"#/properties/observability/properties/logstore/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key9}};
if(vErrors === null){
vErrors = [err53];
}
else {
vErrors.push(err53);
}
errors++;
}
}
if(data19.saga_event_field !== undefined){
if(data19.saga_event_value === undefined){
const err54 = {instancePath:instancePath+"/observability/logstore",schemaPath:"#/properties/observability/properties/logstore/dependencies",keyword:"dependencies",params:{property: "saga_event_field",
    missingProperty: "saga_event_value",
    depsCount: 1,
    deps: "saga_event_value"}};
if(vErrors === null){
vErrors = [err54];
}
else {
vErrors.push(err54);
}
errors++;
}
}
if(data19.saga_event_value !== undefined){
if(data19.saga_event_field === undefined){
const err55 = {instancePath:instancePath+"/observability/logstore",schemaPath:"#/properties/observability/properties/logstore/dependencies",keyword:"dependencies",params:{property: "saga_event_value",
    missingProperty: "saga_event_field",
    depsCount: 1,
    deps: "saga_event_field"}};
if(vErrors === null){
vErrors = [err55];
}
else {
vErrors.push(err55);
}
errors++;
}
}
if(data19.log_format !== undefined){
let data20 = data19.log_format;
if(typeof data20 !== "string"){
const err56 = {instancePath:instancePath+"/observability/logstore/log_format",schemaPath:"#/properties/observability/properties/logstore/properties/log_format/type",keyword:"type",params:{type: "string"}};
if(vErrors === null){
vErrors = [err56];
}
else {
vErrors.push(err56);
}
errors++;
}
if(!(data20 === "json")){
const err57 = {instancePath:instancePath+"/observability/logstore/log_format",schemaPath:"#/properties/observability/properties/logstore/properties/log_format/enum",keyword:"enum",params:{allowedValues: schema11.properties.observability.properties.logstore.properties.log_format.enum}};
if(vErrors === null){
vErrors = [err57];
}
else {
vErrors.push(err57);
}
errors++;
}
}
if(data19.correlation_field !== undefined){
let data21 = data19.correlation_field;
if(typeof data21 === "string"){
if(!pattern1.test(data21)){
const err58 = {instancePath:instancePath+"/observability/logstore/correlation_field",schemaPath:"#/properties/observability/properties/logstore/properties/correlation_field/pattern",keyword:"pattern",params:{pattern: "\\S"}};
if(vErrors === null){
vErrors = [err58];
}
else {
vErrors.push(err58);
}
errors++;
}
}
else {
const err59 = {instancePath:instancePath+"/observability/logstore/correlation_field",schemaPath:"#/properties/observability/properties/logstore/properties/correlation_field/type",keyword:"type",params:{type: "string"}};
if(vErrors === null){
vErrors = [err59];
}
else {
vErrors.push(err59);
}
errors++;
}
}
if(data19.level_field !== undefined){
let data22 = data19.level_field;
if(typeof data22 === "string"){
if(!pattern1.test(data22)){
const err60 = {instancePath:instancePath+"/observability/logstore/level_field",schemaPath:"#/properties/observability/properties/logstore/properties/level_field/pattern",keyword:"pattern",params:{pattern: "\\S"}};
if(vErrors === null){
vErrors = [err60];
}
else {
vErrors.push(err60);
}
errors++;
}
}
else {
const err61 = {instancePath:instancePath+"/observability/logstore/level_field",schemaPath:"#/properties/observability/properties/logstore/properties/level_field/type",keyword:"type",params:{type: "string"}};
if(vErrors === null){
vErrors = [err61];
}
else {
vErrors.push(err61);
}
errors++;
}
}
if(data19.error_match !== undefined){
let data23 = data19.error_match;
if((typeof data23 !== "string") && (!(((typeof data23 == "number") && (!(data23 % 1) && !isNaN(data23))) && (isFinite(data23))))){
const err62 = {instancePath:instancePath+"/observability/logstore/error_match",schemaPath:"#/properties/observability/properties/logstore/properties/error_match/type",keyword:"type",params:{type: schema11.properties.observability.properties.logstore.properties.error_match.type}};
if(vErrors === null){
vErrors = [err62];
}
else {
vErrors.push(err62);
}
errors++;
}
if(typeof data23 === "string"){
if(!pattern1.test(data23)){
const err63 = {instancePath:instancePath+"/observability/logstore/error_match",schemaPath:"#/properties/observability/properties/logstore/properties/error_match/pattern",keyword:"pattern",params:{pattern: "\\S"}};
if(vErrors === null){
vErrors = [err63];
}
else {
vErrors.push(err63);
}
errors++;
}
}
}
if(data19.saga_event_field !== undefined){
let data24 = data19.saga_event_field;
if(typeof data24 === "string"){
if(!pattern1.test(data24)){
const err64 = {instancePath:instancePath+"/observability/logstore/saga_event_field",schemaPath:"#/properties/observability/properties/logstore/properties/saga_event_field/pattern",keyword:"pattern",params:{pattern: "\\S"}};
if(vErrors === null){
vErrors = [err64];
}
else {
vErrors.push(err64);
}
errors++;
}
}
else {
const err65 = {instancePath:instancePath+"/observability/logstore/saga_event_field",schemaPath:"#/properties/observability/properties/logstore/properties/saga_event_field/type",keyword:"type",params:{type: "string"}};
if(vErrors === null){
vErrors = [err65];
}
else {
vErrors.push(err65);
}
errors++;
}
}
if(data19.saga_event_value !== undefined){
let data25 = data19.saga_event_value;
if(((typeof data25 !== "string") && (!(((typeof data25 == "number") && (!(data25 % 1) && !isNaN(data25))) && (isFinite(data25))))) && (typeof data25 !== "boolean")){
const err66 = {instancePath:instancePath+"/observability/logstore/saga_event_value",schemaPath:"#/properties/observability/properties/logstore/properties/saga_event_value/type",keyword:"type",params:{type: schema11.properties.observability.properties.logstore.properties.saga_event_value.type}};
if(vErrors === null){
vErrors = [err66];
}
else {
vErrors.push(err66);
}
errors++;
}
if(typeof data25 === "string"){
if(!pattern1.test(data25)){
const err67 = {instancePath:instancePath+"/observability/logstore/saga_event_value",schemaPath:"#/properties/observability/properties/logstore/properties/saga_event_value/pattern",keyword:"pattern",params:{pattern: "\\S"}};
if(vErrors === null){
vErrors = [err67];
}
else {
vErrors.push(err67);
}
errors++;
}
}
}
if(data19.services !== undefined){
let data26 = data19.services;
if(Array.isArray(data26)){
if(data26.length > 64){
const err68 = {instancePath:instancePath+"/observability/logstore/services",schemaPath:"#/properties/observability/properties/logstore/properties/services/maxItems",keyword:"maxItems",params:{limit: 64}};
if(vErrors === null){
vErrors = [err68];
}
else {
vErrors.push(err68);
}
errors++;
}
const len0 = data26.length;
for(let i0=0; i0<len0; i0++){
let data27 = data26[i0];
if(typeof data27 === "string"){
if(!pattern8.test(data27)){
const err69 = {instancePath:instancePath+"/observability/logstore/services/" + i0,schemaPath:"#/properties/observability/properties/logstore/properties/services/items/pattern",keyword:"pattern",params:{pattern: "^[A-Za-z0-9][A-Za-z0-9_.-]*$"}};
if(vErrors === null){
vErrors = [err69];
}
else {
vErrors.push(err69);
}
errors++;
}
}
else {
const err70 = {instancePath:instancePath+"/observability/logstore/services/" + i0,schemaPath:"#/properties/observability/properties/logstore/properties/services/items/type",keyword:"type",params:{type: "string"}};
if(vErrors === null){
vErrors = [err70];
}
else {
vErrors.push(err70);
}
errors++;
}
}
}
else {
const err71 = {instancePath:instancePath+"/observability/logstore/services",schemaPath:"#/properties/observability/properties/logstore/properties/services/type",keyword:"type",params:{type: "array"}};
if(vErrors === null){
vErrors = [err71];
}
else {
vErrors.push(err71);
}
errors++;
}
}
}
else {
const err72 = {instancePath:instancePath+"/observability/logstore",schemaPath:"#/properties/observability/properties/logstore/type",keyword:"type",params:{type: "object"}};
if(vErrors === null){
vErrors = [err72];
}
else {
vErrors.push(err72);
}
errors++;
}
}
if(data18.version !== undefined){
let data28 = data18.version;
if(data28 && typeof data28 == "object" && !Array.isArray(data28)){
for(const key10 in data28){
if(!(((key10 === "header") || (key10 === "path")) || (key10 === "field"))){
const err73 = {instancePath:instancePath+"/observability/version",schemaPath:"#/properties/observability/properties/version/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key10}};
if(vErrors === null){
vErrors = [err73];
}
else {
vErrors.push(err73);
}
errors++;
}
}
if(data28.field !== undefined){
if(data28.path === undefined){
const err74 = {instancePath:instancePath+"/observability/version",schemaPath:"#/properties/observability/properties/version/dependencies",keyword:"dependencies",params:{property: "field",
    missingProperty: "path",
    depsCount: 1,
    deps: "path"}};
if(vErrors === null){
vErrors = [err74];
}
else {
vErrors.push(err74);
}
errors++;
}
}
if(data28.header !== undefined){
let data29 = data28.header;
if(typeof data29 === "string"){
if(!pattern15.test(data29)){
const err75 = {instancePath:instancePath+"/observability/version/header",schemaPath:"#/properties/observability/properties/version/properties/header/pattern",keyword:"pattern",params:{pattern: "^[A-Za-z0-9-]{1,100}$"}};
if(vErrors === null){
vErrors = [err75];
}
else {
vErrors.push(err75);
}
errors++;
}
}
else {
const err76 = {instancePath:instancePath+"/observability/version/header",schemaPath:"#/properties/observability/properties/version/properties/header/type",keyword:"type",params:{type: "string"}};
if(vErrors === null){
vErrors = [err76];
}
else {
vErrors.push(err76);
}
errors++;
}
}
if(data28.path !== undefined){
let data30 = data28.path;
if(typeof data30 === "string"){
if(!pattern16.test(data30)){
const err77 = {instancePath:instancePath+"/observability/version/path",schemaPath:"#/properties/observability/properties/version/properties/path/pattern",keyword:"pattern",params:{pattern: "^/[!-~]{0,499}$"}};
if(vErrors === null){
vErrors = [err77];
}
else {
vErrors.push(err77);
}
errors++;
}
}
else {
const err78 = {instancePath:instancePath+"/observability/version/path",schemaPath:"#/properties/observability/properties/version/properties/path/type",keyword:"type",params:{type: "string"}};
if(vErrors === null){
vErrors = [err78];
}
else {
vErrors.push(err78);
}
errors++;
}
}
if(data28.field !== undefined){
let data31 = data28.field;
if(typeof data31 === "string"){
if(!pattern1.test(data31)){
const err79 = {instancePath:instancePath+"/observability/version/field",schemaPath:"#/properties/observability/properties/version/properties/field/pattern",keyword:"pattern",params:{pattern: "\\S"}};
if(vErrors === null){
vErrors = [err79];
}
else {
vErrors.push(err79);
}
errors++;
}
}
else {
const err80 = {instancePath:instancePath+"/observability/version/field",schemaPath:"#/properties/observability/properties/version/properties/field/type",keyword:"type",params:{type: "string"}};
if(vErrors === null){
vErrors = [err80];
}
else {
vErrors.push(err80);
}
errors++;
}
}
}
else {
const err81 = {instancePath:instancePath+"/observability/version",schemaPath:"#/properties/observability/properties/version/type",keyword:"type",params:{type: "object"}};
if(vErrors === null){
vErrors = [err81];
}
else {
vErrors.push(err81);
}
errors++;
}
}
if(data18.dashboard !== undefined){
let data32 = data18.dashboard;
if(data32 && typeof data32 == "object" && !Array.isArray(data32)){
for(const key11 in data32){
if(!(key11 === "public_url")){
const err82 = {instancePath:instancePath+"/observability/dashboard",schemaPath:"#/properties/observability/properties/dashboard/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key11}};
if(vErrors === null){
vErrors = [err82];
}
else {
vErrors.push(err82);
}
errors++;
}
}
if(data32.public_url !== undefined){
let data33 = data32.public_url;
if(data33 && typeof data33 == "object" && !Array.isArray(data33)){
for(const key12 in data33){
if(!(key12 === "compose")){
const err83 = {instancePath:instancePath+"/observability/dashboard/public_url",schemaPath:"#/properties/observability/properties/dashboard/properties/public_url/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key12}};
if(vErrors === null){
vErrors = [err83];
}
else {
vErrors.push(err83);
}
errors++;
}
}
if(data33.compose !== undefined){
let data34 = data33.compose;
if(typeof data34 === "string"){
if(!pattern1.test(data34)){
const err84 = {instancePath:instancePath+"/observability/dashboard/public_url/compose",schemaPath:"#/properties/observability/properties/dashboard/properties/public_url/properties/compose/pattern",keyword:"pattern",params:{pattern: "\\S"}};
if(vErrors === null){
vErrors = [err84];
}
else {
vErrors.push(err84);
}
errors++;
}
}
else {
const err85 = {instancePath:instancePath+"/observability/dashboard/public_url/compose",schemaPath:"#/properties/observability/properties/dashboard/properties/public_url/properties/compose/type",keyword:"type",params:{type: "string"}};
if(vErrors === null){
vErrors = [err85];
}
else {
vErrors.push(err85);
}
errors++;
}
}
}
else {
const err86 = {instancePath:instancePath+"/observability/dashboard/public_url",schemaPath:"#/properties/observability/properties/dashboard/properties/public_url/type",keyword:"type",params:{type: "object"}};
if(vErrors === null){
vErrors = [err86];
}
else {
vErrors.push(err86);
}
errors++;
}
}
}
else {
const err87 = {instancePath:instancePath+"/observability/dashboard",schemaPath:"#/properties/observability/properties/dashboard/type",keyword:"type",params:{type: "object"}};
if(vErrors === null){
vErrors = [err87];
}
else {
vErrors.push(err87);
}
errors++;
}
}
}
else {
const err88 = {instancePath:instancePath+"/observability",schemaPath:"#/properties/observability/type",keyword:"type",params:{type: "object"}};
if(vErrors === null){
vErrors = [err88];
}
else {
vErrors.push(err88);
}
errors++;
}
}
if(data.scenarios !== undefined){
let data35 = data.scenarios;
if(data35 && typeof data35 == "object" && !Array.isArray(data35)){
for(const key13 in data35){
if(!((key13 === "variables") || (key13 === "redacted_captures"))){
const err89 = {instancePath:instancePath+"/scenarios",schemaPath:"#/properties/scenarios/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key13}};
if(vErrors === null){
vErrors = [err89];
}
else {
vErrors.push(err89);
}
errors++;
}
}
if(data35.variables !== undefined){
let data36 = data35.variables;
if(Array.isArray(data36)){
if(data36.length > 100){
const err90 = {instancePath:instancePath+"/scenarios/variables",schemaPath:"#/properties/scenarios/properties/variables/maxItems",keyword:"maxItems",params:{limit: 100}};
if(vErrors === null){
vErrors = [err90];
}
else {
vErrors.push(err90);
}
errors++;
}
const len1 = data36.length;
for(let i1=0; i1<len1; i1++){
let data37 = data36[i1];
if(typeof data37 === "string"){
if(!pattern19.test(data37)){
const err91 = {instancePath:instancePath+"/scenarios/variables/" + i1,schemaPath:"#/properties/scenarios/properties/variables/items/pattern",keyword:"pattern",params:{pattern: "^[A-Za-z_][A-Za-z0-9_]*$"}};
if(vErrors === null){
vErrors = [err91];
}
else {
vErrors.push(err91);
}
errors++;
}
}
else {
const err92 = {instancePath:instancePath+"/scenarios/variables/" + i1,schemaPath:"#/properties/scenarios/properties/variables/items/type",keyword:"type",params:{type: "string"}};
if(vErrors === null){
vErrors = [err92];
}
else {
vErrors.push(err92);
}
errors++;
}
}
}
else {
const err93 = {instancePath:instancePath+"/scenarios/variables",schemaPath:"#/properties/scenarios/properties/variables/type",keyword:"type",params:{type: "array"}};
if(vErrors === null){
vErrors = [err93];
}
else {
vErrors.push(err93);
}
errors++;
}
}
if(data35.redacted_captures !== undefined){
let data38 = data35.redacted_captures;
if(Array.isArray(data38)){
if(data38.length > 100){
const err94 = {instancePath:instancePath+"/scenarios/redacted_captures",schemaPath:"#/properties/scenarios/properties/redacted_captures/maxItems",keyword:"maxItems",params:{limit: 100}};
if(vErrors === null){
vErrors = [err94];
}
else {
vErrors.push(err94);
}
errors++;
}
const len2 = data38.length;
for(let i2=0; i2<len2; i2++){
let data39 = data38[i2];
if(typeof data39 === "string"){
if(!pattern19.test(data39)){
const err95 = {instancePath:instancePath+"/scenarios/redacted_captures/" + i2,schemaPath:"#/properties/scenarios/properties/redacted_captures/items/pattern",keyword:"pattern",params:{pattern: "^[A-Za-z_][A-Za-z0-9_]*$"}};
if(vErrors === null){
vErrors = [err95];
}
else {
vErrors.push(err95);
}
errors++;
}
}
else {
const err96 = {instancePath:instancePath+"/scenarios/redacted_captures/" + i2,schemaPath:"#/properties/scenarios/properties/redacted_captures/items/type",keyword:"type",params:{type: "string"}};
if(vErrors === null){
vErrors = [err96];
}
else {
vErrors.push(err96);
}
errors++;
}
}
}
else {
const err97 = {instancePath:instancePath+"/scenarios/redacted_captures",schemaPath:"#/properties/scenarios/properties/redacted_captures/type",keyword:"type",params:{type: "array"}};
if(vErrors === null){
vErrors = [err97];
}
else {
vErrors.push(err97);
}
errors++;
}
}
}
else {
const err98 = {instancePath:instancePath+"/scenarios",schemaPath:"#/properties/scenarios/type",keyword:"type",params:{type: "object"}};
if(vErrors === null){
vErrors = [err98];
}
else {
vErrors.push(err98);
}
errors++;
}
}
}
else {
const err99 = {instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"}};
if(vErrors === null){
vErrors = [err99];
}
else {
vErrors.push(err99);
}
errors++;
}
validate10.errors = vErrors;
return errors === 0;
}

