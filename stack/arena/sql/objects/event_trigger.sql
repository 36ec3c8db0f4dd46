-- Event triggers.
select 'event trigger', evtname::text, evtenabled::text || ' ' || evtowner::regrole from pg_event_trigger
