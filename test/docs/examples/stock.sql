CREATE TABLE stock (
  article text PRIMARY KEY,
  count integer NOT NULL,
  fence bigint NOT NULL DEFAULT 0
);
