package developer

import (
	"tenor/internal/edge/rest"
)

// The OpenAPI description of the OAuth endpoints: they have forms, and the errors of RFC
// 6749.

const oauthCommon = `
	"security": [{"client": []}, {}],
	"parameters": [{"$ref": "#/components/parameters/RequestId"}, {"$ref": "#/components/parameters/Traceparent"}],`

const oauthClient = `
	"client_id": {"type": "string", "maxLength": 255, "description": "Client ID, unless sent by HTTP Basic."},
	"client_secret": {"type": "string", "maxLength": 255, "description": "Client secret, unless sent by HTTP Basic."}`

// oauthErrors takes the possible codes of a 400.
func oauthErrors(badRequest string) string {
	one := func(status, codes, example, headers string) string {
		return `"` + status + `": {"description": "` + codes + `", "headers": {"X-Request-Id": {"$ref": "#/components/headers/RequestId"}` + headers + `},
			"content": {"application/json": {"schema": {"type": "object", "required": ["error", "error_description"], "additionalProperties": false,
			"properties": {"error": {"type": "string"}, "error_description": {"type": "string"}}},
			"example": {"error": "` + example + `", "error_description": "One sentence for people."}}}}`
	}
	retry := `, "Retry-After": {"$ref": "#/components/headers/RetryAfter"}`
	return one("400", badRequest, "invalid_request", "") + "," +
		one("401", "`invalid_client`: the client is unknown or revoked, or its secret is wrong or expired", "invalid_client",
			`, "WWW-Authenticate": {"$ref": "#/components/headers/WWWAuthenticate"}`) + "," +
		one("429", "`rate_limited`: too many failed attempts for the client or from the address, or the client exceeded its rate limit", rest.CodeRateLimited, retry) + "," +
		one("500", "`server_error`", "server_error", "") + "," +
		one("503", "`temporarily_unavailable`; or a problem with the code `overloaded`, if the request was not processed", "temporarily_unavailable", retry)
}

func tokenContract() string {
	return `{` + oauthCommon + `
	"requestBody": {"required": true, "content": {"application/x-www-form-urlencoded": {"schema": {"type": "object", "required": ["grant_type"], "properties": {
		"grant_type": {"type": "string", "enum": ["client_credentials"], "description": "Grant type."},
		"scope": {"type": "string", "maxLength": 1000, "description": "Space-separated scopes. Default: all of the client's."},` + oauthClient + `}},
		"example": {"grant_type": "client_credentials", "scope": "orders:read orders:write"}}}},
	"responses": {"200": {"description": "OK", ` + oauthHeaders + `, "content": {"application/json": {"schema": {"type": "object",
		"required": ["access_token", "token_type", "expires_in", "scope"], "properties": {
			"access_token": {"type": "string", "description": "The token, for the Authorization header. Shown only once."},
			"token_type": {"type": "string", "enum": ["Bearer"]},
			"expires_in": {"type": "integer", "description": "Its life in seconds."},
			"scope": {"type": "string", "description": "Its scopes, space-separated."}}},
		"example": {"access_token": "tnr_5V3Q7K2MXHJ4T6WZ9C8B1N0PDF", "token_type": "Bearer", "expires_in": 3600, "scope": "orders:read orders:write"}}}},` +
		oauthErrors("`invalid_request`, `unsupported_grant_type`, `invalid_scope`") + `}}`
}

const oauthHeaders = `"headers": {"X-Request-Id": {"$ref": "#/components/headers/RequestId"}, "RateLimit": {"$ref": "#/components/headers/RateLimit"},
	"RateLimit-Policy": {"$ref": "#/components/headers/RateLimitPolicy"}}`

const oauthToken = `"requestBody": {"required": true, "content": {"application/x-www-form-urlencoded": {"schema": {"type": "object", "required": ["token"], "properties": {
	"token": {"type": "string", "maxLength": 512, "description": "The access token."},
	"token_type_hint": {"type": "string", "description": "Ignored: there is only one type."},` + oauthClient + `}},
	"example": {"token": "tnr_5V3Q7K2MXHJ4T6WZ9C8B1N0PDF"}}}},`

func revokeContract() string {
	return `{` + oauthCommon + oauthToken + `
	"responses": {"200": {"description": "The token is no longer valid, or never belonged to this client.", ` + oauthHeaders + `,
		"content": {"application/json": {"schema": {"type": "object"}, "example": {}}}},` + oauthErrors("`invalid_request`") + `}}`
}

func introspectContract() string {
	return `{` + oauthCommon + oauthToken + `
	"responses": {"200": {"description": "OK", ` + oauthHeaders + `, "content": {"application/json": {"schema": {"type": "object", "required": ["active"], "properties": {
		"active": {"type": "boolean", "description": "Whether it is a valid token of this client. If not, nothing else is returned."},
		"scope": {"type": "string", "description": "Its scopes, space-separated."},
		"client_id": {"type": "string"}, "token_type": {"type": "string", "enum": ["Bearer"]},
		"exp": {"type": "integer", "description": "Expiration, in seconds since 1970."}}},
		"example": {"active": true, "scope": "orders:read", "client_id": "cli_01K9Z0B2D4F6H8K0M2P4R6T8V0", "token_type": "Bearer", "exp": 1768496400}}}},` +
		oauthErrors("`invalid_request`") + `}}`
}
