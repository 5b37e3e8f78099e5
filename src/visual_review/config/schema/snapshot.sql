-- Generated from the migrations by `python -m scripts.generate_schema`; do not edit.

CREATE TYPE procrastinate_job_event_type AS ENUM (
    'deferred',
    'started',
    'deferred_for_retry',
    'failed',
    'succeeded',
    'cancelled',
    'abort_requested',
    'aborted',
    'scheduled',
    'retried'
);
CREATE TYPE procrastinate_job_status AS ENUM (
    'todo',
    'doing',
    'succeeded',
    'failed',
    'cancelled',
    'aborting',
    'aborted'
);
CREATE TYPE procrastinate_job_to_defer_v1 AS (
	queue_name character varying,
	task_name character varying,
	priority integer,
	lock text,
	queueing_lock text,
	args jsonb,
	scheduled_at timestamp with time zone
);
CREATE FUNCTION procrastinate_cancel_job_v1(job_id bigint, abort boolean, delete_job boolean) RETURNS bigint
    LANGUAGE plpgsql
    AS $$
DECLARE
    _job_id bigint;
BEGIN
    IF delete_job THEN
        DELETE FROM procrastinate_jobs
        WHERE id = job_id AND status = 'todo'
        RETURNING id INTO _job_id;
    END IF;
    IF _job_id IS NULL THEN
        IF abort THEN
            UPDATE procrastinate_jobs
            SET abort_requested = true,
                status = CASE status
                    WHEN 'todo' THEN 'cancelled'::procrastinate_job_status ELSE status
                END
            WHERE id = job_id AND status IN ('todo', 'doing')
            RETURNING id INTO _job_id;
        ELSE
            UPDATE procrastinate_jobs
            SET status = 'cancelled'::procrastinate_job_status
            WHERE id = job_id AND status = 'todo'
            RETURNING id INTO _job_id;
        END IF;
    END IF;
    RETURN _job_id;
END;
$$;
CREATE FUNCTION procrastinate_defer_jobs_v1(jobs procrastinate_job_to_defer_v1[]) RETURNS bigint[]
    LANGUAGE plpgsql
    AS $$
DECLARE
    job_ids bigint[];
BEGIN
    WITH inserted_jobs AS (
        INSERT INTO procrastinate_jobs (queue_name, task_name, priority, lock, queueing_lock, args, scheduled_at)
        SELECT (job).queue_name,
               (job).task_name,
               (job).priority,
               (job).lock,
               (job).queueing_lock,
               (job).args,
               (job).scheduled_at
        FROM unnest(jobs) AS job
        RETURNING id
    )
    SELECT array_agg(id) FROM inserted_jobs INTO job_ids;

    RETURN job_ids;
END;
$$;
CREATE FUNCTION procrastinate_defer_periodic_job_v2(_queue_name character varying, _lock character varying, _queueing_lock character varying, _task_name character varying, _priority integer, _periodic_id character varying, _defer_timestamp bigint, _args jsonb) RETURNS bigint
    LANGUAGE plpgsql
    AS $$
DECLARE
	_job_id bigint;
	_defer_id bigint;
BEGIN
    INSERT
        INTO procrastinate_periodic_defers (task_name, periodic_id, defer_timestamp)
        VALUES (_task_name, _periodic_id, _defer_timestamp)
        ON CONFLICT DO NOTHING
        RETURNING id into _defer_id;

    IF _defer_id IS NULL THEN
        RETURN NULL;
    END IF;

    UPDATE procrastinate_periodic_defers
        SET job_id = (
            SELECT COALESCE((
                SELECT unnest(procrastinate_defer_jobs_v1(
                    ARRAY[
                        ROW(
                            _queue_name,
                            _task_name,
                            _priority,
                            _lock,
                            _queueing_lock,
                            _args,
                            NULL::timestamptz
                        )
                    ]::procrastinate_job_to_defer_v1[]
                ))
            ), NULL)
        )
        WHERE id = _defer_id
        RETURNING job_id INTO _job_id;

    DELETE
        FROM procrastinate_periodic_defers
        USING (
            SELECT id
            FROM procrastinate_periodic_defers
            WHERE procrastinate_periodic_defers.task_name = _task_name
            AND procrastinate_periodic_defers.periodic_id = _periodic_id
            AND procrastinate_periodic_defers.defer_timestamp < _defer_timestamp
            ORDER BY id
            FOR UPDATE
        ) to_delete
        WHERE procrastinate_periodic_defers.id = to_delete.id;

    RETURN _job_id;
END;
$$;
CREATE TABLE procrastinate_jobs (
    id bigint NOT NULL,
    queue_name character varying(128) NOT NULL,
    task_name character varying(128) NOT NULL,
    lock text,
    args jsonb DEFAULT '{}'::jsonb NOT NULL,
    status procrastinate_job_status DEFAULT 'todo'::procrastinate_job_status NOT NULL,
    scheduled_at timestamp with time zone,
    attempts integer DEFAULT 0 NOT NULL,
    queueing_lock text,
    priority integer DEFAULT 0 NOT NULL,
    abort_requested boolean DEFAULT false NOT NULL,
    worker_id bigint,
    CONSTRAINT check_not_todo_abort_requested CHECK ((NOT ((status = 'todo'::procrastinate_job_status) AND (abort_requested = true))))
);
CREATE FUNCTION procrastinate_fetch_job_v2(target_queue_names character varying[], p_worker_id bigint) RETURNS procrastinate_jobs
    LANGUAGE plpgsql
    AS $$
DECLARE
	found_jobs procrastinate_jobs;
BEGIN
    WITH candidate AS (
        SELECT jobs.*
            FROM procrastinate_jobs AS jobs
            WHERE
                -- reject the job if its lock has earlier or higher priority jobs
                NOT EXISTS (
                    SELECT 1
                        FROM procrastinate_jobs AS other_jobs
                        WHERE
                            jobs.lock IS NOT NULL
                            AND other_jobs.lock = jobs.lock
                            AND (
                                -- job with same lock is already running
                                other_jobs.status = 'doing'
                                OR
                                -- job with same lock is waiting and has higher priority (or same priority but was queued first)
                                (
                                    other_jobs.status = 'todo'
                                    AND (
                                        other_jobs.priority > jobs.priority
                                        OR (
                                        other_jobs.priority = jobs.priority
                                        AND other_jobs.id < jobs.id
                                        )
                                    )
                                )
                            )
                )
                AND jobs.status = 'todo'
                AND (target_queue_names IS NULL OR jobs.queue_name = ANY( target_queue_names ))
                AND (jobs.scheduled_at IS NULL OR jobs.scheduled_at <= now())
            ORDER BY jobs.priority DESC, jobs.id ASC LIMIT 1
            FOR UPDATE OF jobs SKIP LOCKED
    )
    UPDATE procrastinate_jobs
        SET status = 'doing', worker_id = p_worker_id
        FROM candidate
        WHERE procrastinate_jobs.id = candidate.id
        RETURNING procrastinate_jobs.* INTO found_jobs;

 RETURN found_jobs;
END;
$$;
CREATE FUNCTION procrastinate_finish_job_v1(job_id bigint, end_status procrastinate_job_status, delete_job boolean) RETURNS void
    LANGUAGE plpgsql
    AS $$
DECLARE
    _job_id bigint;
BEGIN
    IF end_status NOT IN ('succeeded', 'failed', 'aborted') THEN
        RAISE 'End status should be either "succeeded", "failed" or "aborted" (job id: %)', job_id;
    END IF;
    IF delete_job THEN
        DELETE FROM procrastinate_jobs
        WHERE id = job_id AND status IN ('todo', 'doing')
        RETURNING id INTO _job_id;
    ELSE
        UPDATE procrastinate_jobs
        SET status = end_status,
            abort_requested = false,
            attempts = CASE status
                WHEN 'doing' THEN attempts + 1 ELSE attempts
            END
        WHERE id = job_id AND status IN ('todo', 'doing')
        RETURNING id INTO _job_id;
    END IF;
    IF _job_id IS NULL THEN
        RAISE 'Job was not found or not in "doing" or "todo" status (job id: %)', job_id;
    END IF;
END;
$$;
CREATE FUNCTION procrastinate_notify_queue_abort_job_v1() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
DECLARE
    payload TEXT;
BEGIN
    SELECT json_build_object('type', 'abort_job_requested', 'job_id', NEW.id)::text INTO payload;
	PERFORM pg_notify('procrastinate_queue_v1#' || NEW.queue_name, payload);
	PERFORM pg_notify('procrastinate_any_queue_v1', payload);
	RETURN NEW;
END;
$$;
CREATE FUNCTION procrastinate_notify_queue_job_inserted_v1() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
DECLARE
    payload TEXT;
BEGIN
    SELECT json_build_object('type', 'job_inserted', 'job_id', NEW.id)::text INTO payload;
	PERFORM pg_notify('procrastinate_queue_v1#' || NEW.queue_name, payload);
	PERFORM pg_notify('procrastinate_any_queue_v1', payload);
	RETURN NEW;
END;
$$;
CREATE FUNCTION procrastinate_prune_stalled_workers_v1(seconds_since_heartbeat double precision) RETURNS TABLE(worker_id bigint)
    LANGUAGE plpgsql
    AS $$
BEGIN
    RETURN QUERY
    DELETE FROM procrastinate_workers
    WHERE last_heartbeat < NOW() - (seconds_since_heartbeat || 'SECOND')::INTERVAL
    RETURNING procrastinate_workers.id;
END;
$$;
CREATE FUNCTION procrastinate_register_worker_v1() RETURNS TABLE(worker_id bigint)
    LANGUAGE plpgsql
    AS $$
BEGIN
    RETURN QUERY
    INSERT INTO procrastinate_workers DEFAULT VALUES
    RETURNING procrastinate_workers.id;
END;
$$;
CREATE FUNCTION procrastinate_retry_job_v1(job_id bigint, retry_at timestamp with time zone, new_priority integer, new_queue_name character varying, new_lock character varying) RETURNS void
    LANGUAGE plpgsql
    AS $$
DECLARE
    _job_id bigint;
    _abort_requested boolean;
BEGIN
    SELECT abort_requested FROM procrastinate_jobs
    WHERE id = job_id AND status = 'doing'
    FOR UPDATE
    INTO _abort_requested;
    IF _abort_requested THEN
        UPDATE procrastinate_jobs
        SET status = 'failed'::procrastinate_job_status
        WHERE id = job_id AND status = 'doing'
        RETURNING id INTO _job_id;
    ELSE
        UPDATE procrastinate_jobs
        SET status = 'todo'::procrastinate_job_status,
            attempts = attempts + 1,
            scheduled_at = retry_at,
            priority = COALESCE(new_priority, priority),
            queue_name = COALESCE(new_queue_name, queue_name),
            lock = COALESCE(new_lock, lock)
        WHERE id = job_id AND status = 'doing'
        RETURNING id INTO _job_id;
    END IF;

    IF _job_id IS NULL THEN
        RAISE 'Job was not found or not in "doing" status (job id: %)', job_id;
    END IF;
END;
$$;
CREATE FUNCTION procrastinate_retry_job_v2(job_id bigint, retry_at timestamp with time zone, new_priority integer, new_queue_name character varying, new_lock character varying) RETURNS void
    LANGUAGE plpgsql
    AS $$
DECLARE
    _job_id bigint;
    _abort_requested boolean;
    _current_status procrastinate_job_status;
BEGIN
    SELECT status, abort_requested FROM procrastinate_jobs
    WHERE id = job_id AND status IN ('doing', 'failed')
    FOR UPDATE
    INTO _current_status, _abort_requested;
    IF _current_status = 'doing' AND _abort_requested THEN
        UPDATE procrastinate_jobs
        SET status = 'failed'::procrastinate_job_status
        WHERE id = job_id AND status = 'doing'
        RETURNING id INTO _job_id;
    ELSE
        UPDATE procrastinate_jobs
        SET status = 'todo'::procrastinate_job_status,
            attempts = attempts + 1,
            scheduled_at = retry_at,
            priority = COALESCE(new_priority, priority),
            queue_name = COALESCE(new_queue_name, queue_name),
            lock = COALESCE(new_lock, lock)
        WHERE id = job_id AND status IN ('doing', 'failed')
        RETURNING id INTO _job_id;
    END IF;

    IF _job_id IS NULL THEN
        RAISE 'Job was not found or has an invalid status to retry (job id: %)', job_id;
    END IF;

END;
$$;
CREATE FUNCTION procrastinate_trigger_abort_requested_events_procedure_v1() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    INSERT INTO procrastinate_events(job_id, type)
        VALUES (NEW.id, 'abort_requested'::procrastinate_job_event_type);
    RETURN NEW;
END;
$$;
CREATE FUNCTION procrastinate_trigger_function_scheduled_events_v1() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    INSERT INTO procrastinate_events(job_id, type, at)
        VALUES (NEW.id, 'scheduled'::procrastinate_job_event_type, NEW.scheduled_at);

	RETURN NEW;
END;
$$;
CREATE FUNCTION procrastinate_trigger_function_status_events_insert_v1() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    INSERT INTO procrastinate_events(job_id, type)
        VALUES (NEW.id, 'deferred'::procrastinate_job_event_type);
	RETURN NEW;
END;
$$;
CREATE FUNCTION procrastinate_trigger_function_status_events_update_v1() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    WITH t AS (
        SELECT CASE
            WHEN OLD.status = 'todo'::procrastinate_job_status
                AND NEW.status = 'doing'::procrastinate_job_status
                THEN 'started'::procrastinate_job_event_type
            WHEN OLD.status = 'doing'::procrastinate_job_status
                AND NEW.status = 'todo'::procrastinate_job_status
                THEN 'deferred_for_retry'::procrastinate_job_event_type
            WHEN OLD.status = 'doing'::procrastinate_job_status
                AND NEW.status = 'failed'::procrastinate_job_status
                THEN 'failed'::procrastinate_job_event_type
            WHEN OLD.status = 'doing'::procrastinate_job_status
                AND NEW.status = 'succeeded'::procrastinate_job_status
                THEN 'succeeded'::procrastinate_job_event_type
            WHEN OLD.status = 'todo'::procrastinate_job_status
                AND (
                    NEW.status = 'cancelled'::procrastinate_job_status
                    OR NEW.status = 'failed'::procrastinate_job_status
                    OR NEW.status = 'succeeded'::procrastinate_job_status
                )
                THEN 'cancelled'::procrastinate_job_event_type
            WHEN OLD.status = 'doing'::procrastinate_job_status
                AND NEW.status = 'aborted'::procrastinate_job_status
                THEN 'aborted'::procrastinate_job_event_type
            WHEN OLD.status = 'failed'::procrastinate_job_status
                AND NEW.status = 'todo'::procrastinate_job_status
                THEN 'retried'::procrastinate_job_event_type
            ELSE NULL
        END as event_type
    )
    INSERT INTO procrastinate_events(job_id, type)
        SELECT NEW.id, t.event_type
        FROM t
        WHERE t.event_type IS NOT NULL;
	RETURN NEW;
END;
$$;
CREATE FUNCTION procrastinate_unlink_periodic_defers_v1() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    UPDATE procrastinate_periodic_defers
    SET job_id = NULL
    WHERE job_id = OLD.id;
    RETURN OLD;
END;
$$;
CREATE FUNCTION procrastinate_unregister_worker_v1(worker_id bigint) RETURNS void
    LANGUAGE plpgsql
    AS $$
BEGIN
    DELETE FROM procrastinate_workers
    WHERE id = worker_id;
END;
$$;
CREATE FUNCTION procrastinate_update_heartbeat_v1(worker_id bigint) RETURNS void
    LANGUAGE plpgsql
    AS $$
BEGIN
    UPDATE procrastinate_workers
    SET last_heartbeat = NOW()
    WHERE id = worker_id;
END;
$$;
CREATE TABLE account_emailaddress (
    id integer NOT NULL,
    email character varying(254) NOT NULL,
    verified boolean NOT NULL,
    "primary" boolean NOT NULL,
    user_id character varying(40) NOT NULL
);
ALTER TABLE account_emailaddress ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME account_emailaddress_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE account_emailconfirmation (
    id integer NOT NULL,
    created timestamp with time zone NOT NULL,
    sent timestamp with time zone,
    key character varying(64) NOT NULL,
    email_address_id integer NOT NULL
);
ALTER TABLE account_emailconfirmation ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME account_emailconfirmation_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE accounts_accesstoken (
    id bigint NOT NULL,
    secret_hash character varying(64) NOT NULL,
    scope character varying(100) NOT NULL,
    created_at timestamp with time zone NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    family_id character varying(40) NOT NULL
);
ALTER TABLE accounts_accesstoken ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME accounts_accesstoken_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE accounts_apikey (
    id character varying(40) NOT NULL,
    name character varying(100) NOT NULL,
    hint character varying(20) NOT NULL,
    secret_hash character varying(64) NOT NULL,
    permissions jsonb NOT NULL,
    created_by_id character varying(40) NOT NULL,
    created_at timestamp with time zone NOT NULL,
    expires_at timestamp with time zone,
    last_used_at timestamp with time zone,
    revoked_at timestamp with time zone,
    user_id character varying(40),
    organization_id character varying(40) NOT NULL
);
CREATE TABLE accounts_attemptcount (
    key character varying(64) NOT NULL,
    count integer NOT NULL,
    retry_at timestamp with time zone NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    CONSTRAINT accounts_attemptcount_count_check CHECK ((count >= 0))
);
CREATE TABLE accounts_cacheentry (
    cache_key character varying(255) NOT NULL,
    value text NOT NULL,
    expires timestamp with time zone NOT NULL
);
CREATE TABLE accounts_grant (
    id character varying(40) NOT NULL,
    scope character varying(100) NOT NULL,
    created_at timestamp with time zone NOT NULL,
    last_used_at timestamp with time zone,
    disconnected_at timestamp with time zone,
    application_id bigint NOT NULL,
    organization_id character varying(40) NOT NULL,
    user_id character varying(40) NOT NULL
);
CREATE TABLE accounts_invitation (
    id character varying(40) NOT NULL,
    email character varying(254) NOT NULL,
    role character varying(20) NOT NULL,
    is_setup boolean NOT NULL,
    secret_hash character varying(64) NOT NULL,
    created_at timestamp with time zone NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    accepted_at timestamp with time zone,
    revoked_at timestamp with time zone,
    invited_by_id character varying(40),
    organization_id character varying(40),
    is_mailed boolean NOT NULL
);
CREATE TABLE accounts_knownnetwork (
    key character varying(64) NOT NULL,
    expires_at timestamp with time zone NOT NULL
);
CREATE TABLE accounts_membership (
    id character varying(40) NOT NULL,
    role character varying(20) NOT NULL,
    created_at timestamp with time zone NOT NULL,
    user_id character varying(40) NOT NULL,
    organization_id character varying(40) NOT NULL,
    created_account boolean NOT NULL
);
CREATE TABLE accounts_organization (
    id character varying(40) NOT NULL,
    name character varying(150) NOT NULL,
    created_at timestamp with time zone NOT NULL
);
CREATE TABLE accounts_refreshtoken (
    id bigint NOT NULL,
    secret_hash character varying(64) NOT NULL,
    created_at timestamp with time zone NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    rotated_at timestamp with time zone,
    family_id character varying(40) NOT NULL
);
ALTER TABLE accounts_refreshtoken ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME accounts_refreshtoken_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE accounts_tokenfamily (
    id character varying(40) NOT NULL,
    scope character varying(100) NOT NULL,
    resource character varying(2000) NOT NULL,
    redirect_uri character varying(2000) NOT NULL,
    code_hash character varying(64) NOT NULL,
    code_challenge character varying(128) NOT NULL,
    created_at timestamp with time zone NOT NULL,
    code_expires_at timestamp with time zone NOT NULL,
    code_used_at timestamp with time zone,
    ended_at timestamp with time zone,
    grant_id character varying(40) NOT NULL
);
CREATE TABLE accounts_user (
    password character varying(128) NOT NULL,
    last_login timestamp with time zone,
    is_superuser boolean NOT NULL,
    id character varying(40) NOT NULL,
    email character varying(254) NOT NULL,
    name character varying(150) NOT NULL,
    is_active boolean NOT NULL,
    is_staff boolean NOT NULL,
    date_joined timestamp with time zone NOT NULL,
    access_review_due boolean NOT NULL
);
CREATE TABLE accounts_user_groups (
    id bigint NOT NULL,
    user_id character varying(40) NOT NULL,
    group_id integer NOT NULL
);
ALTER TABLE accounts_user_groups ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME accounts_user_groups_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE accounts_user_user_permissions (
    id bigint NOT NULL,
    user_id character varying(40) NOT NULL,
    permission_id integer NOT NULL
);
ALTER TABLE accounts_user_user_permissions ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME accounts_user_user_permissions_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE audit_auditentry (
    id bigint NOT NULL,
    at timestamp with time zone NOT NULL,
    organization_id character varying(40),
    actor_kind character varying(20) NOT NULL,
    actor_id character varying(40) NOT NULL,
    actor_name character varying(300) NOT NULL,
    channel character varying(10) NOT NULL,
    client character varying(300) NOT NULL,
    verb character varying(80) NOT NULL,
    target_kind character varying(40) NOT NULL,
    target_id character varying(300) NOT NULL,
    target_name character varying(500) NOT NULL,
    before jsonb,
    after jsonb,
    client_id character varying(300) NOT NULL,
    credential_id character varying(40) NOT NULL
);
ALTER TABLE audit_auditentry ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME audit_auditentry_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE auth_group (
    id integer NOT NULL,
    name character varying(150) NOT NULL
);
ALTER TABLE auth_group ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME auth_group_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE auth_group_permissions (
    id bigint NOT NULL,
    group_id integer NOT NULL,
    permission_id integer NOT NULL
);
ALTER TABLE auth_group_permissions ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME auth_group_permissions_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE auth_permission (
    id integer NOT NULL,
    name character varying(255) NOT NULL,
    content_type_id integer NOT NULL,
    codename character varying(100) NOT NULL
);
ALTER TABLE auth_permission ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME auth_permission_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE billing_chargeperiod (
    id character varying(40) NOT NULL,
    product character varying(40) NOT NULL,
    subject_id character varying(40) NOT NULL,
    subject_name character varying(300) NOT NULL,
    price integer NOT NULL,
    currency character varying(3) NOT NULL,
    started_at timestamp with time zone NOT NULL,
    started_by_id character varying(40) NOT NULL,
    started_by_name character varying(300) NOT NULL,
    ended_at timestamp with time zone,
    ended_by_id character varying(40) NOT NULL,
    ended_by_name character varying(300) NOT NULL,
    provider_item character varying(200) NOT NULL,
    provider_ended_at timestamp with time zone,
    provider_problem text NOT NULL,
    organization_id character varying(40) NOT NULL,
    provider_noted_at timestamp with time zone,
    CONSTRAINT billing_chargeperiod_price_check CHECK ((price >= 0))
);
CREATE TABLE builds_baseline (
    id character varying(40) NOT NULL,
    head_repository character varying(300) NOT NULL,
    branch character varying(255) NOT NULL,
    last_move integer NOT NULL,
    created_at timestamp with time zone NOT NULL,
    product_id character varying(40) NOT NULL,
    branch_deleted_at timestamp with time zone,
    CONSTRAINT builds_baseline_last_move_check CHECK ((last_move >= 0))
);
CREATE TABLE builds_baselineentry (
    id bigint NOT NULL,
    story_id character varying(300) NOT NULL,
    title character varying(500) NOT NULL,
    theme character varying(10) NOT NULL,
    device character varying(10) NOT NULL,
    source_hash character varying(64) NOT NULL,
    from_move integer NOT NULL,
    to_move integer,
    baseline_id character varying(40) NOT NULL,
    image_id bigint NOT NULL,
    regions jsonb DEFAULT '[]'::jsonb NOT NULL,
    CONSTRAINT builds_baselineentry_from_move_check CHECK ((from_move >= 0)),
    CONSTRAINT builds_baselineentry_to_move_check CHECK ((to_move >= 0))
);
ALTER TABLE builds_baselineentry ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME builds_baselineentry_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE builds_baselinemove (
    id character varying(40) NOT NULL,
    sequence integer NOT NULL,
    kind character varying(12) NOT NULL,
    restored_sequence integer,
    reason text NOT NULL,
    moved_by_id character varying(40) NOT NULL,
    moved_by_name character varying(300) NOT NULL,
    moved_at timestamp with time zone NOT NULL,
    baseline_id character varying(40) NOT NULL,
    build_id character varying(40),
    client character varying(300) NOT NULL,
    source character varying(12) NOT NULL,
    CONSTRAINT builds_baselinemove_restored_sequence_check CHECK ((restored_sequence >= 0)),
    CONSTRAINT builds_baselinemove_sequence_check CHECK ((sequence >= 0))
);
CREATE TABLE builds_build (
    id character varying(40) NOT NULL,
    number integer NOT NULL,
    nonce character varying(200) NOT NULL,
    shards_total integer NOT NULL,
    head_repository character varying(300) NOT NULL,
    branch character varying(255) NOT NULL,
    commit character varying(64) NOT NULL,
    base_commit character varying(64) NOT NULL,
    merge_commit character varying(64) NOT NULL,
    merge_base_commit character varying(64) NOT NULL,
    pull_request integer,
    base_branch character varying(255) NOT NULL,
    message text NOT NULL,
    renderer jsonb NOT NULL,
    is_partial boolean NOT NULL,
    story_ids jsonb,
    matrix jsonb NOT NULL,
    detection_variants jsonb NOT NULL,
    baseline_rule character varying(20) NOT NULL,
    baseline_move integer NOT NULL,
    status character varying(12) NOT NULL,
    failure text NOT NULL,
    created_at timestamp with time zone NOT NULL,
    last_upload_at timestamp with time zone NOT NULL,
    published_at timestamp with time zone,
    completed_at timestamp with time zone,
    changed_count integer NOT NULL,
    new_count integer NOT NULL,
    removed_count integer NOT NULL,
    failed_count integer NOT NULL,
    unchanged_count integer NOT NULL,
    review_state character varying(12) NOT NULL,
    decided_by_id character varying(40) NOT NULL,
    decided_by_name character varying(300) NOT NULL,
    decided_at timestamp with time zone,
    decision_source character varying(12) NOT NULL,
    baseline_id character varying(40),
    product_id character varying(40) NOT NULL,
    repository_id character varying(40) NOT NULL,
    superseded_by_id character varying(40),
    decided_client character varying(300) NOT NULL,
    revision integer NOT NULL,
    carried_from_id character varying(40) DEFAULT ''::character varying NOT NULL,
    last_number integer DEFAULT 0 NOT NULL,
    last_group_number integer DEFAULT 0 NOT NULL,
    CONSTRAINT builds_build_baseline_move_check CHECK ((baseline_move >= 0)),
    CONSTRAINT builds_build_changed_count_check CHECK ((changed_count >= 0)),
    CONSTRAINT builds_build_failed_count_check CHECK ((failed_count >= 0)),
    CONSTRAINT builds_build_last_group_number_check CHECK ((last_group_number >= 0)),
    CONSTRAINT builds_build_last_number_check CHECK ((last_number >= 0)),
    CONSTRAINT builds_build_new_count_check CHECK ((new_count >= 0)),
    CONSTRAINT builds_build_number_check CHECK ((number >= 0)),
    CONSTRAINT builds_build_pull_request_check CHECK ((pull_request >= 0)),
    CONSTRAINT builds_build_removed_count_check CHECK ((removed_count >= 0)),
    CONSTRAINT builds_build_revision_check CHECK ((revision >= 0)),
    CONSTRAINT builds_build_shards_total_check CHECK ((shards_total >= 0)),
    CONSTRAINT builds_build_unchanged_count_check CHECK ((unchanged_count >= 0))
);
CREATE TABLE builds_buildshard (
    id bigint NOT NULL,
    index integer NOT NULL,
    finished_at timestamp with time zone,
    build_id character varying(40) NOT NULL,
    CONSTRAINT builds_buildshard_index_check CHECK ((index >= 0))
);
ALTER TABLE builds_buildshard ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME builds_buildshard_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE builds_changegroup (
    id character varying(40) NOT NULL,
    key character varying(64) NOT NULL,
    name text NOT NULL,
    kind character varying(12) NOT NULL,
    "position" integer NOT NULL,
    screenshot_count integer NOT NULL,
    outliers jsonb NOT NULL,
    revision character varying(64) NOT NULL,
    build_id character varying(40) NOT NULL,
    number integer,
    CONSTRAINT builds_changegroup_number_check CHECK ((number >= 0)),
    CONSTRAINT builds_changegroup_position_check CHECK (("position" >= 0)),
    CONSTRAINT builds_changegroup_screenshot_count_check CHECK ((screenshot_count >= 0))
);
CREATE TABLE builds_comparison (
    id bigint NOT NULL,
    key character varying(64) NOT NULL,
    diff_pixels bigint NOT NULL,
    diff_ratio double precision NOT NULL,
    reason character varying(30) CONSTRAINT builds_comparison_kind_not_null NOT NULL,
    boxes jsonb NOT NULL,
    only_in_regions boolean NOT NULL,
    has_picture boolean NOT NULL,
    created_at timestamp with time zone NOT NULL,
    organization_id character varying(40) NOT NULL,
    aligned_pixels bigint NOT NULL,
    aligned_ratio double precision NOT NULL,
    changes jsonb NOT NULL,
    faint_pixels bigint NOT NULL,
    is_faintly_changed boolean NOT NULL,
    kind character varying(12) CONSTRAINT builds_comparison_kind_not_null1 NOT NULL,
    severity double precision NOT NULL,
    signature jsonb NOT NULL,
    summary text NOT NULL,
    has_thumbnail boolean NOT NULL,
    CONSTRAINT builds_comparison_aligned_pixels_check CHECK ((aligned_pixels >= 0)),
    CONSTRAINT builds_comparison_diff_pixels_check CHECK ((diff_pixels >= 0)),
    CONSTRAINT builds_comparison_faint_pixels_check CHECK ((faint_pixels >= 0))
);
ALTER TABLE builds_comparison ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME builds_comparison_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE builds_decisionbatch (
    id character varying(40) NOT NULL,
    decided_by_id character varying(40) NOT NULL,
    request_id character varying(64) NOT NULL,
    digest character varying(64) NOT NULL,
    first_entry bigint,
    last_entry bigint,
    before jsonb,
    result jsonb NOT NULL,
    created_at timestamp with time zone NOT NULL,
    build_id character varying(40) NOT NULL,
    undoes_id character varying(40)
);
CREATE TABLE builds_hostmessage (
    id character varying(40) NOT NULL,
    kind character varying(10) NOT NULL,
    subject character varying(300) NOT NULL,
    commit character varying(64) NOT NULL,
    context character varying(100) NOT NULL,
    pull_request integer,
    revision integer NOT NULL,
    told_revision integer NOT NULL,
    told jsonb,
    reference character varying(100) NOT NULL,
    state character varying(10) NOT NULL,
    attempts integer NOT NULL,
    failure text NOT NULL,
    next_try_at timestamp with time zone,
    changed_at timestamp with time zone NOT NULL,
    sent_at timestamp with time zone,
    repository_id character varying(40) NOT NULL,
    review_entry_id bigint,
    stream character varying(80) NOT NULL,
    CONSTRAINT builds_hostmessage_attempts_check CHECK ((attempts >= 0)),
    CONSTRAINT builds_hostmessage_pull_request_check CHECK ((pull_request >= 0)),
    CONSTRAINT builds_hostmessage_revision_check CHECK ((revision >= 0)),
    CONSTRAINT builds_hostmessage_told_revision_check CHECK ((told_revision >= 0))
);
CREATE TABLE builds_image (
    id bigint NOT NULL,
    sha256 character varying(64) NOT NULL,
    pixels_sha256 character varying(64) NOT NULL,
    width integer NOT NULL,
    height integer NOT NULL,
    size bigint NOT NULL,
    created_at timestamp with time zone NOT NULL,
    organization_id character varying(40) NOT NULL,
    has_thumbnail boolean NOT NULL,
    CONSTRAINT builds_image_height_check CHECK ((height >= 0)),
    CONSTRAINT builds_image_size_check CHECK ((size >= 0)),
    CONSTRAINT builds_image_width_check CHECK ((width >= 0))
);
ALTER TABLE builds_image ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME builds_image_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE builds_imageview (
    id bigint NOT NULL,
    viewer character varying(40) NOT NULL,
    client character varying(300) NOT NULL,
    client_version character varying(100) NOT NULL,
    form character varying(20) NOT NULL,
    before_image bigint NOT NULL,
    after_image bigint NOT NULL,
    before_sha256 character varying(64) NOT NULL,
    after_sha256 character varying(64) NOT NULL,
    scale double precision NOT NULL,
    viewed_at timestamp with time zone NOT NULL,
    build_id character varying(40) NOT NULL,
    screenshot_id character varying(40) NOT NULL
);
ALTER TABLE builds_imageview ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME builds_imageview_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE builds_pullrequest (
    id bigint NOT NULL,
    number integer NOT NULL,
    title character varying(500) NOT NULL,
    state character varying(10) NOT NULL,
    head_repository character varying(300) NOT NULL,
    head_branch character varying(255) NOT NULL,
    head_commit character varying(64) NOT NULL,
    base_branch character varying(255) NOT NULL,
    merge_commit character varying(64) NOT NULL,
    host_updated_at timestamp with time zone,
    asked_at timestamp with time zone,
    repository_id character varying(40) NOT NULL,
    description text DEFAULT ''::text NOT NULL,
    CONSTRAINT builds_pullrequest_number_check CHECK ((number >= 0))
);
ALTER TABLE builds_pullrequest ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME builds_pullrequest_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE builds_reviewentry (
    id bigint NOT NULL,
    decision character varying(10) NOT NULL,
    source character varying(12) NOT NULL,
    decided_by_id character varying(40) NOT NULL,
    decided_by_name character varying(300) NOT NULL,
    client character varying(300) NOT NULL,
    decided_at timestamp with time zone NOT NULL,
    comment text NOT NULL,
    story_id character varying(300) NOT NULL,
    theme character varying(10) NOT NULL,
    device character varying(10) NOT NULL,
    baseline_id character varying(40),
    build_id character varying(40) NOT NULL,
    left_image_id bigint,
    right_image_id bigint,
    screenshot_id character varying(40),
    evidence jsonb
);
ALTER TABLE builds_reviewentry ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME builds_reviewentry_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE builds_screenshot (
    id character varying(40) NOT NULL,
    story_id character varying(300) NOT NULL,
    title character varying(500) NOT NULL,
    theme character varying(10) NOT NULL,
    device character varying(10) NOT NULL,
    shard integer NOT NULL,
    sha256 character varying(64) NOT NULL,
    width integer NOT NULL,
    height integer NOT NULL,
    source_hash character varying(64) NOT NULL,
    threshold double precision,
    diff_state character varying(10) NOT NULL,
    diff_ratio double precision NOT NULL,
    message text NOT NULL,
    inherited boolean NOT NULL,
    only_in_regions boolean NOT NULL,
    detection_only boolean NOT NULL,
    matches_former_baseline boolean NOT NULL,
    review_decision character varying(10) NOT NULL,
    decision_source character varying(12) NOT NULL,
    decided_by_id character varying(40) NOT NULL,
    decided_by_name character varying(300) NOT NULL,
    decided_at timestamp with time zone,
    comment text NOT NULL,
    carried_from_id character varying(40) NOT NULL,
    baseline_image_id bigint,
    build_id character varying(40) NOT NULL,
    comparison_id bigint,
    image_id bigint,
    decided_client character varying(300) NOT NULL,
    group_id character varying(40),
    unstable text NOT NULL,
    notes jsonb DEFAULT '[]'::jsonb NOT NULL,
    regions jsonb DEFAULT '[]'::jsonb NOT NULL,
    number integer,
    CONSTRAINT builds_screenshot_height_check CHECK ((height >= 0)),
    CONSTRAINT builds_screenshot_number_check CHECK ((number >= 0)),
    CONSTRAINT builds_screenshot_shard_check CHECK ((shard >= 0)),
    CONSTRAINT builds_screenshot_width_check CHECK ((width >= 0))
);
CREATE TABLE django_content_type (
    id integer NOT NULL,
    app_label character varying(100) NOT NULL,
    model character varying(100) NOT NULL
);
ALTER TABLE django_content_type ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME django_content_type_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE django_migrations (
    id bigint NOT NULL,
    app character varying(255) NOT NULL,
    name character varying(255) NOT NULL,
    applied timestamp with time zone NOT NULL
);
ALTER TABLE django_migrations ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME django_migrations_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE django_session (
    session_key character varying(40) NOT NULL,
    session_data text NOT NULL,
    expire_date timestamp with time zone NOT NULL
);
CREATE TABLE oauth2_provider_accesstoken (
    id bigint NOT NULL,
    token text NOT NULL,
    expires timestamp with time zone NOT NULL,
    scope text NOT NULL,
    application_id bigint,
    user_id character varying(40),
    created timestamp with time zone NOT NULL,
    updated timestamp with time zone NOT NULL,
    source_refresh_token_id bigint,
    id_token_id bigint,
    token_checksum character varying(64) NOT NULL,
    resource jsonb NOT NULL
);
ALTER TABLE oauth2_provider_accesstoken ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME oauth2_provider_accesstoken_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE oauth2_provider_application (
    id bigint NOT NULL,
    client_id character varying(255) NOT NULL,
    redirect_uris text NOT NULL,
    client_type character varying(32) NOT NULL,
    authorization_grant_type character varying(44) NOT NULL,
    client_secret character varying(255) NOT NULL,
    name character varying(255) NOT NULL,
    user_id character varying(40),
    skip_authorization boolean NOT NULL,
    created timestamp with time zone NOT NULL,
    updated timestamp with time zone NOT NULL,
    algorithm character varying(5) NOT NULL,
    post_logout_redirect_uris text NOT NULL,
    hash_client_secret boolean NOT NULL,
    allowed_origins text NOT NULL,
    registration_source character varying(32) NOT NULL,
    cimd_expires_at timestamp with time zone
);
ALTER TABLE oauth2_provider_application ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME oauth2_provider_application_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE oauth2_provider_devicegrant (
    id bigint NOT NULL,
    device_code character varying(100) NOT NULL,
    user_code character varying(100) NOT NULL,
    scope text NOT NULL,
    "interval" integer NOT NULL,
    expires timestamp with time zone NOT NULL,
    status character varying(64) NOT NULL,
    client_id character varying(100) NOT NULL,
    last_checked timestamp with time zone NOT NULL,
    user_id character varying(40)
);
ALTER TABLE oauth2_provider_devicegrant ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME oauth2_provider_devicegrant_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE oauth2_provider_grant (
    id bigint NOT NULL,
    code character varying(255) NOT NULL,
    expires timestamp with time zone NOT NULL,
    redirect_uri text NOT NULL,
    scope text NOT NULL,
    application_id bigint NOT NULL,
    user_id character varying(40) NOT NULL,
    created timestamp with time zone NOT NULL,
    updated timestamp with time zone NOT NULL,
    code_challenge character varying(128) NOT NULL,
    code_challenge_method character varying(10) NOT NULL,
    nonce character varying(255) NOT NULL,
    claims text NOT NULL,
    resource jsonb NOT NULL
);
ALTER TABLE oauth2_provider_grant ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME oauth2_provider_grant_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE oauth2_provider_idtoken (
    id bigint NOT NULL,
    jti uuid NOT NULL,
    expires timestamp with time zone NOT NULL,
    scope text NOT NULL,
    created timestamp with time zone NOT NULL,
    updated timestamp with time zone NOT NULL,
    application_id bigint,
    user_id character varying(40)
);
ALTER TABLE oauth2_provider_idtoken ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME oauth2_provider_idtoken_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE oauth2_provider_refreshtoken (
    id bigint NOT NULL,
    token text NOT NULL,
    access_token_id bigint,
    application_id bigint NOT NULL,
    user_id character varying(40) NOT NULL,
    created timestamp with time zone NOT NULL,
    updated timestamp with time zone NOT NULL,
    revoked timestamp with time zone,
    token_family uuid,
    token_checksum character varying(64) NOT NULL,
    resource jsonb NOT NULL
);
ALTER TABLE oauth2_provider_refreshtoken ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME oauth2_provider_refreshtoken_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE procrastinate_events (
    id bigint NOT NULL,
    job_id bigint NOT NULL,
    type procrastinate_job_event_type,
    at timestamp with time zone DEFAULT now()
);
CREATE SEQUENCE procrastinate_events_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE procrastinate_events_id_seq OWNED BY procrastinate_events.id;
CREATE SEQUENCE procrastinate_jobs_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE procrastinate_jobs_id_seq OWNED BY procrastinate_jobs.id;
CREATE TABLE procrastinate_periodic_defers (
    id bigint NOT NULL,
    task_name character varying(128) NOT NULL,
    defer_timestamp bigint,
    job_id bigint,
    periodic_id character varying(128) DEFAULT ''::character varying NOT NULL
);
CREATE SEQUENCE procrastinate_periodic_defers_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE procrastinate_periodic_defers_id_seq OWNED BY procrastinate_periodic_defers.id;
CREATE TABLE procrastinate_workers (
    id bigint NOT NULL,
    last_heartbeat timestamp with time zone DEFAULT now() NOT NULL
);
ALTER TABLE procrastinate_workers ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME procrastinate_workers_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE recordings_attachment (
    id character varying(40) NOT NULL,
    name character varying(300) NOT NULL,
    content_type character varying(100) NOT NULL,
    size bigint NOT NULL,
    sha256 character varying(64) NOT NULL,
    stored_at timestamp with time zone,
    failure text NOT NULL,
    recording_id character varying(40) NOT NULL,
    CONSTRAINT recordings_attachment_size_check CHECK ((size >= 0))
);
CREATE TABLE recordings_enrollment (
    repository_id character varying(40) NOT NULL,
    enabled boolean NOT NULL,
    enabled_at timestamp with time zone,
    enabled_by_name character varying(300) NOT NULL,
    disabled_at timestamp with time zone,
    charge_id character varying(40) NOT NULL
);
CREATE TABLE recordings_linkedtest (
    id character varying(40) NOT NULL,
    file character varying(1000) NOT NULL,
    suite character varying(1000) NOT NULL,
    title character varying(1000) NOT NULL,
    created_at timestamp with time zone NOT NULL,
    product_id character varying(40) NOT NULL
);
CREATE TABLE recordings_recording (
    id character varying(40) NOT NULL,
    key character varying(200) NOT NULL,
    title character varying(1000) NOT NULL,
    branch character varying(255) NOT NULL,
    commit character varying(64) NOT NULL,
    head_repository character varying(300) NOT NULL,
    pull_request integer,
    project character varying(200) NOT NULL,
    outcome character varying(12) NOT NULL,
    retry integer NOT NULL,
    error text NOT NULL,
    steps jsonb NOT NULL,
    test_duration_ms bigint,
    ran_at timestamp with time zone,
    status character varying(12) NOT NULL,
    failure text NOT NULL,
    created_at timestamp with time zone NOT NULL,
    last_upload_at timestamp with time zone NOT NULL,
    finished_at timestamp with time zone,
    deleted_at timestamp with time zone,
    file_name character varying(300) NOT NULL,
    size bigint NOT NULL,
    sha256 character varying(64) NOT NULL,
    part_size bigint NOT NULL,
    duration_ms bigint,
    width integer NOT NULL,
    height integer NOT NULL,
    product_id character varying(40) NOT NULL,
    repository_id character varying(40) NOT NULL,
    test_id character varying(40),
    original_name character varying(100) NOT NULL,
    CONSTRAINT recordings_recording_duration_ms_check CHECK ((duration_ms >= 0)),
    CONSTRAINT recordings_recording_height_check CHECK ((height >= 0)),
    CONSTRAINT recordings_recording_part_size_check CHECK ((part_size >= 0)),
    CONSTRAINT recordings_recording_pull_request_check CHECK ((pull_request >= 0)),
    CONSTRAINT recordings_recording_retry_check CHECK ((retry >= 0)),
    CONSTRAINT recordings_recording_size_check CHECK ((size >= 0)),
    CONSTRAINT recordings_recording_test_duration_ms_check CHECK ((test_duration_ms >= 0)),
    CONSTRAINT recordings_recording_width_check CHECK ((width >= 0))
);
CREATE TABLE repositories_dynamicregions (
    id bigint NOT NULL,
    story_id character varying(300) NOT NULL,
    theme character varying(10) NOT NULL,
    device character varying(10) NOT NULL,
    regions jsonb NOT NULL,
    updated_at timestamp with time zone NOT NULL,
    product_id character varying(40) NOT NULL
);
ALTER TABLE repositories_dynamicregions ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME repositories_dynamicregions_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE repositories_hostaccount (
    id character varying(40) NOT NULL,
    kind character varying(10) NOT NULL,
    address character varying(300) NOT NULL,
    name character varying(300) NOT NULL,
    credentials text NOT NULL,
    webhook_secret text NOT NULL,
    connected_at timestamp with time zone NOT NULL,
    problem text NOT NULL,
    checked_at timestamp with time zone,
    paused_until timestamp with time zone,
    organization_id character varying(40) NOT NULL
);
CREATE TABLE repositories_organizationcapture (
    organization_id character varying(40) NOT NULL,
    themes jsonb,
    devices jsonb,
    hides_detection_notice boolean CONSTRAINT repositories_organizationcaptur_hides_detection_notice_not_null NOT NULL
);
CREATE TABLE repositories_product (
    id character varying(40) NOT NULL,
    key character varying(64) NOT NULL,
    themes jsonb,
    devices jsonb,
    has_dark_mode boolean,
    is_responsive boolean,
    detection_armed boolean NOT NULL,
    created_at timestamp with time zone NOT NULL,
    repository_id character varying(40) NOT NULL,
    counts_faint_changes boolean,
    theme_evidence jsonb
);
CREATE TABLE repositories_projecttoken (
    id character varying(40) NOT NULL,
    hint character varying(20) NOT NULL,
    secret_hash character varying(64) NOT NULL,
    created_at timestamp with time zone NOT NULL,
    last_used_at timestamp with time zone,
    revoked_at timestamp with time zone,
    repository_id character varying(40) NOT NULL,
    created_by_id character varying(40) NOT NULL
);
CREATE TABLE repositories_repository (
    id character varying(40) NOT NULL,
    full_name character varying(300) NOT NULL,
    default_branch character varying(255) NOT NULL,
    last_build_number integer NOT NULL,
    created_at timestamp with time zone NOT NULL,
    removed_at timestamp with time zone,
    organization_id character varying(40) NOT NULL,
    comment_pictures boolean NOT NULL,
    host_checked_at timestamp with time zone,
    host_id character varying(100) NOT NULL,
    host_problem text NOT NULL,
    keep_builds_days integer,
    keep_recordings_days integer,
    posts_comments boolean NOT NULL,
    review_due_status character varying(10) NOT NULL,
    host_account_id character varying(40),
    identity_issuer character varying(300) NOT NULL,
    identity_pin character varying(100) NOT NULL,
    identity_shared_audience boolean NOT NULL,
    carries_approvals_over boolean DEFAULT true NOT NULL,
    default_product character varying(64) NOT NULL,
    CONSTRAINT repositories_repository_keep_builds_days_check CHECK ((keep_builds_days >= 0)),
    CONSTRAINT repositories_repository_keep_recordings_days_check CHECK ((keep_recordings_days >= 0)),
    CONSTRAINT repositories_repository_last_build_number_check CHECK ((last_build_number >= 0))
);
CREATE TABLE repositories_retention (
    organization_id character varying(40) NOT NULL,
    builds_days integer,
    images_days integer NOT NULL,
    recordings_days integer,
    CONSTRAINT repositories_retention_builds_days_check CHECK ((builds_days >= 0)),
    CONSTRAINT repositories_retention_images_days_check CHECK ((images_days >= 0)),
    CONSTRAINT repositories_retention_recordings_days_check CHECK ((recordings_days >= 0))
);
CREATE TABLE repositories_storageuse (
    id bigint NOT NULL,
    images integer NOT NULL,
    images_bytes bigint NOT NULL,
    pictures_bytes bigint NOT NULL,
    recordings integer NOT NULL,
    recordings_bytes bigint NOT NULL,
    measured_at timestamp with time zone NOT NULL,
    organization_id character varying(40) NOT NULL,
    repository_id character varying(40),
    CONSTRAINT repositories_storageuse_images_bytes_check CHECK ((images_bytes >= 0)),
    CONSTRAINT repositories_storageuse_images_check CHECK ((images >= 0)),
    CONSTRAINT repositories_storageuse_pictures_bytes_check CHECK ((pictures_bytes >= 0)),
    CONSTRAINT repositories_storageuse_recordings_bytes_check CHECK ((recordings_bytes >= 0)),
    CONSTRAINT repositories_storageuse_recordings_check CHECK ((recordings >= 0))
);
ALTER TABLE repositories_storageuse ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME repositories_storageuse_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE repositories_webhookdelivery (
    id bigint NOT NULL,
    delivery_id character varying(200) NOT NULL,
    kind character varying(40) NOT NULL,
    event jsonb NOT NULL,
    received_at timestamp with time zone NOT NULL,
    handled_at timestamp with time zone,
    outcome text NOT NULL,
    account_id character varying(40) NOT NULL,
    digest character varying(64) NOT NULL
);
ALTER TABLE repositories_webhookdelivery ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME repositories_webhookdelivery_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
ALTER TABLE ONLY procrastinate_events ALTER COLUMN id SET DEFAULT nextval('procrastinate_events_id_seq'::regclass);
ALTER TABLE ONLY procrastinate_jobs ALTER COLUMN id SET DEFAULT nextval('procrastinate_jobs_id_seq'::regclass);
ALTER TABLE ONLY procrastinate_periodic_defers ALTER COLUMN id SET DEFAULT nextval('procrastinate_periodic_defers_id_seq'::regclass);
ALTER TABLE ONLY account_emailaddress
    ADD CONSTRAINT account_emailaddress_pkey PRIMARY KEY (id);
ALTER TABLE ONLY account_emailaddress
    ADD CONSTRAINT account_emailaddress_user_id_email_987c8728_uniq UNIQUE (user_id, email);
ALTER TABLE ONLY account_emailconfirmation
    ADD CONSTRAINT account_emailconfirmation_key_key UNIQUE (key);
ALTER TABLE ONLY account_emailconfirmation
    ADD CONSTRAINT account_emailconfirmation_pkey PRIMARY KEY (id);
ALTER TABLE ONLY accounts_accesstoken
    ADD CONSTRAINT accounts_accesstoken_pkey PRIMARY KEY (id);
ALTER TABLE ONLY accounts_accesstoken
    ADD CONSTRAINT accounts_accesstoken_secret_hash_key UNIQUE (secret_hash);
ALTER TABLE ONLY accounts_apikey
    ADD CONSTRAINT accounts_apikey_pkey PRIMARY KEY (id);
ALTER TABLE ONLY accounts_apikey
    ADD CONSTRAINT accounts_apikey_secret_hash_key UNIQUE (secret_hash);
ALTER TABLE ONLY accounts_attemptcount
    ADD CONSTRAINT accounts_attemptcount_pkey PRIMARY KEY (key);
ALTER TABLE ONLY accounts_cacheentry
    ADD CONSTRAINT accounts_cacheentry_pkey PRIMARY KEY (cache_key);
ALTER TABLE ONLY accounts_grant
    ADD CONSTRAINT accounts_grant_pkey PRIMARY KEY (id);
ALTER TABLE ONLY accounts_invitation
    ADD CONSTRAINT accounts_invitation_pkey PRIMARY KEY (id);
ALTER TABLE ONLY accounts_invitation
    ADD CONSTRAINT accounts_invitation_secret_hash_key UNIQUE (secret_hash);
ALTER TABLE ONLY accounts_knownnetwork
    ADD CONSTRAINT accounts_knownnetwork_pkey PRIMARY KEY (key);
ALTER TABLE ONLY accounts_membership
    ADD CONSTRAINT accounts_membership_pkey PRIMARY KEY (id);
ALTER TABLE ONLY accounts_organization
    ADD CONSTRAINT accounts_organization_pkey PRIMARY KEY (id);
ALTER TABLE ONLY accounts_refreshtoken
    ADD CONSTRAINT accounts_refreshtoken_pkey PRIMARY KEY (id);
ALTER TABLE ONLY accounts_refreshtoken
    ADD CONSTRAINT accounts_refreshtoken_secret_hash_key UNIQUE (secret_hash);
ALTER TABLE ONLY accounts_tokenfamily
    ADD CONSTRAINT accounts_tokenfamily_code_hash_key UNIQUE (code_hash);
ALTER TABLE ONLY accounts_tokenfamily
    ADD CONSTRAINT accounts_tokenfamily_pkey PRIMARY KEY (id);
ALTER TABLE ONLY accounts_user
    ADD CONSTRAINT accounts_user_email_key UNIQUE (email);
ALTER TABLE ONLY accounts_user_groups
    ADD CONSTRAINT accounts_user_groups_pkey PRIMARY KEY (id);
ALTER TABLE ONLY accounts_user_groups
    ADD CONSTRAINT accounts_user_groups_user_id_group_id_59c0b32f_uniq UNIQUE (user_id, group_id);
ALTER TABLE ONLY accounts_user
    ADD CONSTRAINT accounts_user_pkey PRIMARY KEY (id);
ALTER TABLE ONLY accounts_user_user_permissions
    ADD CONSTRAINT accounts_user_user_permi_user_id_permission_id_2ab516c2_uniq UNIQUE (user_id, permission_id);
ALTER TABLE ONLY accounts_user_user_permissions
    ADD CONSTRAINT accounts_user_user_permissions_pkey PRIMARY KEY (id);
ALTER TABLE ONLY audit_auditentry
    ADD CONSTRAINT audit_auditentry_pkey PRIMARY KEY (id);
ALTER TABLE ONLY auth_group
    ADD CONSTRAINT auth_group_name_key UNIQUE (name);
ALTER TABLE ONLY auth_group_permissions
    ADD CONSTRAINT auth_group_permissions_group_id_permission_id_0cd325b0_uniq UNIQUE (group_id, permission_id);
ALTER TABLE ONLY auth_group_permissions
    ADD CONSTRAINT auth_group_permissions_pkey PRIMARY KEY (id);
ALTER TABLE ONLY auth_group
    ADD CONSTRAINT auth_group_pkey PRIMARY KEY (id);
ALTER TABLE ONLY auth_permission
    ADD CONSTRAINT auth_permission_content_type_id_codename_01ab375a_uniq UNIQUE (content_type_id, codename);
ALTER TABLE ONLY auth_permission
    ADD CONSTRAINT auth_permission_pkey PRIMARY KEY (id);
ALTER TABLE ONLY billing_chargeperiod
    ADD CONSTRAINT billing_chargeperiod_pkey PRIMARY KEY (id);
ALTER TABLE ONLY builds_baseline
    ADD CONSTRAINT builds_baseline_pkey PRIMARY KEY (id);
ALTER TABLE ONLY builds_baselineentry
    ADD CONSTRAINT builds_baselineentry_pkey PRIMARY KEY (id);
ALTER TABLE ONLY builds_baselinemove
    ADD CONSTRAINT builds_baselinemove_pkey PRIMARY KEY (id);
ALTER TABLE ONLY builds_build
    ADD CONSTRAINT builds_build_pkey PRIMARY KEY (id);
ALTER TABLE ONLY builds_buildshard
    ADD CONSTRAINT builds_buildshard_pkey PRIMARY KEY (id);
ALTER TABLE ONLY builds_changegroup
    ADD CONSTRAINT builds_changegroup_pkey PRIMARY KEY (id);
ALTER TABLE ONLY builds_comparison
    ADD CONSTRAINT builds_comparison_pkey PRIMARY KEY (id);
ALTER TABLE ONLY builds_decisionbatch
    ADD CONSTRAINT builds_decisionbatch_pkey PRIMARY KEY (id);
ALTER TABLE ONLY builds_decisionbatch
    ADD CONSTRAINT builds_decisionbatch_undoes_id_key UNIQUE (undoes_id);
ALTER TABLE ONLY builds_hostmessage
    ADD CONSTRAINT builds_hostmessage_pkey PRIMARY KEY (id);
ALTER TABLE ONLY builds_image
    ADD CONSTRAINT builds_image_pkey PRIMARY KEY (id);
ALTER TABLE ONLY builds_imageview
    ADD CONSTRAINT builds_imageview_pkey PRIMARY KEY (id);
ALTER TABLE ONLY builds_pullrequest
    ADD CONSTRAINT builds_pullrequest_pkey PRIMARY KEY (id);
ALTER TABLE ONLY builds_reviewentry
    ADD CONSTRAINT builds_reviewentry_pkey PRIMARY KEY (id);
ALTER TABLE ONLY builds_screenshot
    ADD CONSTRAINT builds_screenshot_pkey PRIMARY KEY (id);
ALTER TABLE ONLY django_content_type
    ADD CONSTRAINT django_content_type_app_label_model_76bd3d3b_uniq UNIQUE (app_label, model);
ALTER TABLE ONLY django_content_type
    ADD CONSTRAINT django_content_type_pkey PRIMARY KEY (id);
ALTER TABLE ONLY django_migrations
    ADD CONSTRAINT django_migrations_pkey PRIMARY KEY (id);
ALTER TABLE ONLY django_session
    ADD CONSTRAINT django_session_pkey PRIMARY KEY (session_key);
ALTER TABLE ONLY oauth2_provider_accesstoken
    ADD CONSTRAINT oauth2_provider_accesstoken_id_token_id_key UNIQUE (id_token_id);
ALTER TABLE ONLY oauth2_provider_accesstoken
    ADD CONSTRAINT oauth2_provider_accesstoken_pkey PRIMARY KEY (id);
ALTER TABLE ONLY oauth2_provider_accesstoken
    ADD CONSTRAINT oauth2_provider_accesstoken_source_refresh_token_id_key UNIQUE (source_refresh_token_id);
ALTER TABLE ONLY oauth2_provider_accesstoken
    ADD CONSTRAINT oauth2_provider_accesstoken_token_checksum_85319a26_uniq UNIQUE (token_checksum);
ALTER TABLE ONLY oauth2_provider_application
    ADD CONSTRAINT oauth2_provider_application_client_id_key UNIQUE (client_id);
ALTER TABLE ONLY oauth2_provider_application
    ADD CONSTRAINT oauth2_provider_application_pkey PRIMARY KEY (id);
ALTER TABLE ONLY oauth2_provider_devicegrant
    ADD CONSTRAINT oauth2_provider_devicegrant_pkey PRIMARY KEY (id);
ALTER TABLE ONLY oauth2_provider_devicegrant
    ADD CONSTRAINT oauth2_provider_devicegrant_unique_device_code UNIQUE (device_code);
ALTER TABLE ONLY oauth2_provider_grant
    ADD CONSTRAINT oauth2_provider_grant_code_key UNIQUE (code);
ALTER TABLE ONLY oauth2_provider_grant
    ADD CONSTRAINT oauth2_provider_grant_pkey PRIMARY KEY (id);
ALTER TABLE ONLY oauth2_provider_idtoken
    ADD CONSTRAINT oauth2_provider_idtoken_jti_key UNIQUE (jti);
ALTER TABLE ONLY oauth2_provider_idtoken
    ADD CONSTRAINT oauth2_provider_idtoken_pkey PRIMARY KEY (id);
ALTER TABLE ONLY oauth2_provider_refreshtoken
    ADD CONSTRAINT oauth2_provider_refresht_token_checksum_revoked_46c81d1d_uniq UNIQUE (token_checksum, revoked);
ALTER TABLE ONLY oauth2_provider_refreshtoken
    ADD CONSTRAINT oauth2_provider_refreshtoken_access_token_id_key UNIQUE (access_token_id);
ALTER TABLE ONLY oauth2_provider_refreshtoken
    ADD CONSTRAINT oauth2_provider_refreshtoken_pkey PRIMARY KEY (id);
ALTER TABLE ONLY recordings_attachment
    ADD CONSTRAINT one_attachment_of_a_name UNIQUE (recording_id, name);
ALTER TABLE ONLY builds_baseline
    ADD CONSTRAINT one_baseline_a_branch UNIQUE (product_id, head_repository, branch);
ALTER TABLE ONLY builds_decisionbatch
    ADD CONSTRAINT one_batch_a_request UNIQUE (build_id, decided_by_id, request_id);
ALTER TABLE ONLY builds_build
    ADD CONSTRAINT one_build_a_nonce UNIQUE (product_id, nonce);
ALTER TABLE ONLY builds_build
    ADD CONSTRAINT one_build_a_number UNIQUE (repository_id, number);
ALTER TABLE ONLY builds_comparison
    ADD CONSTRAINT one_comparison_a_key UNIQUE (organization_id, key);
ALTER TABLE ONLY repositories_webhookdelivery
    ADD CONSTRAINT one_delivery_of_a_body UNIQUE (account_id, digest);
ALTER TABLE ONLY repositories_webhookdelivery
    ADD CONSTRAINT one_delivery_of_an_id UNIQUE (account_id, delivery_id);
ALTER TABLE ONLY builds_changegroup
    ADD CONSTRAINT one_group_a_key UNIQUE (build_id, key);
ALTER TABLE ONLY builds_image
    ADD CONSTRAINT one_image_a_hash UNIQUE (organization_id, sha256);
ALTER TABLE ONLY accounts_membership
    ADD CONSTRAINT one_membership UNIQUE (organization_id, user_id);
ALTER TABLE ONLY builds_hostmessage
    ADD CONSTRAINT one_message_a_subject UNIQUE (repository_id, kind, subject);
ALTER TABLE ONLY builds_baselinemove
    ADD CONSTRAINT one_move_a_sequence UNIQUE (baseline_id, sequence);
ALTER TABLE ONLY repositories_product
    ADD CONSTRAINT one_product_of_a_key UNIQUE (repository_id, key);
ALTER TABLE ONLY builds_pullrequest
    ADD CONSTRAINT one_pull_request UNIQUE (repository_id, number);
ALTER TABLE ONLY recordings_recording
    ADD CONSTRAINT one_recording_a_key UNIQUE (product_id, key);
ALTER TABLE ONLY repositories_dynamicregions
    ADD CONSTRAINT one_region_set_a_variant UNIQUE (product_id, story_id, theme, device);
ALTER TABLE ONLY builds_screenshot
    ADD CONSTRAINT one_screenshot_a_variant UNIQUE (build_id, story_id, theme, device);
ALTER TABLE ONLY builds_buildshard
    ADD CONSTRAINT one_shard_row UNIQUE (build_id, index);
ALTER TABLE ONLY builds_imageview
    ADD CONSTRAINT one_view_a_form UNIQUE (build_id, viewer, screenshot_id, form, before_image, after_image, client, client_version);
ALTER TABLE ONLY procrastinate_events
    ADD CONSTRAINT procrastinate_events_pkey PRIMARY KEY (id);
ALTER TABLE ONLY procrastinate_jobs
    ADD CONSTRAINT procrastinate_jobs_pkey PRIMARY KEY (id);
ALTER TABLE ONLY procrastinate_periodic_defers
    ADD CONSTRAINT procrastinate_periodic_defers_pkey PRIMARY KEY (id);
ALTER TABLE ONLY procrastinate_periodic_defers
    ADD CONSTRAINT procrastinate_periodic_defers_unique UNIQUE (task_name, periodic_id, defer_timestamp);
ALTER TABLE ONLY procrastinate_workers
    ADD CONSTRAINT procrastinate_workers_pkey PRIMARY KEY (id);
ALTER TABLE ONLY recordings_attachment
    ADD CONSTRAINT recordings_attachment_pkey PRIMARY KEY (id);
ALTER TABLE ONLY recordings_enrollment
    ADD CONSTRAINT recordings_enrollment_pkey PRIMARY KEY (repository_id);
ALTER TABLE ONLY recordings_linkedtest
    ADD CONSTRAINT recordings_linkedtest_pkey PRIMARY KEY (id);
ALTER TABLE ONLY recordings_recording
    ADD CONSTRAINT recordings_recording_pkey PRIMARY KEY (id);
ALTER TABLE ONLY repositories_dynamicregions
    ADD CONSTRAINT repositories_dynamicregions_pkey PRIMARY KEY (id);
ALTER TABLE ONLY repositories_hostaccount
    ADD CONSTRAINT repositories_hostaccount_organization_id_key UNIQUE (organization_id);
ALTER TABLE ONLY repositories_hostaccount
    ADD CONSTRAINT repositories_hostaccount_pkey PRIMARY KEY (id);
ALTER TABLE ONLY repositories_organizationcapture
    ADD CONSTRAINT repositories_organizationcapture_pkey PRIMARY KEY (organization_id);
ALTER TABLE ONLY repositories_product
    ADD CONSTRAINT repositories_product_pkey PRIMARY KEY (id);
ALTER TABLE ONLY repositories_projecttoken
    ADD CONSTRAINT repositories_projecttoken_pkey PRIMARY KEY (id);
ALTER TABLE ONLY repositories_projecttoken
    ADD CONSTRAINT repositories_projecttoken_secret_hash_key UNIQUE (secret_hash);
ALTER TABLE ONLY repositories_repository
    ADD CONSTRAINT repositories_repository_pkey PRIMARY KEY (id);
ALTER TABLE ONLY repositories_retention
    ADD CONSTRAINT repositories_retention_pkey PRIMARY KEY (organization_id);
ALTER TABLE ONLY repositories_storageuse
    ADD CONSTRAINT repositories_storageuse_pkey PRIMARY KEY (id);
ALTER TABLE ONLY repositories_webhookdelivery
    ADD CONSTRAINT repositories_webhookdelivery_pkey PRIMARY KEY (id);
CREATE INDEX account_emailaddress_email_03be32b2 ON account_emailaddress USING btree (email);
CREATE INDEX account_emailaddress_email_03be32b2_like ON account_emailaddress USING btree (email varchar_pattern_ops);
CREATE INDEX account_emailaddress_user_id_2c513194 ON account_emailaddress USING btree (user_id);
CREATE INDEX account_emailaddress_user_id_2c513194_like ON account_emailaddress USING btree (user_id varchar_pattern_ops);
CREATE INDEX account_emailconfirmation_email_address_id_5b7f8c58 ON account_emailconfirmation USING btree (email_address_id);
CREATE INDEX account_emailconfirmation_key_f43612bd_like ON account_emailconfirmation USING btree (key varchar_pattern_ops);
CREATE INDEX accounts_accesstoken_expires_at_ffff9faa ON accounts_accesstoken USING btree (expires_at);
CREATE INDEX accounts_accesstoken_family_id_d64e90cf ON accounts_accesstoken USING btree (family_id);
CREATE INDEX accounts_accesstoken_family_id_d64e90cf_like ON accounts_accesstoken USING btree (family_id varchar_pattern_ops);
CREATE INDEX accounts_accesstoken_secret_hash_347e19ec_like ON accounts_accesstoken USING btree (secret_hash varchar_pattern_ops);
CREATE INDEX accounts_apikey_id_84666a2a_like ON accounts_apikey USING btree (id varchar_pattern_ops);
CREATE INDEX accounts_apikey_organization_id_79d80250 ON accounts_apikey USING btree (organization_id);
CREATE INDEX accounts_apikey_organization_id_79d80250_like ON accounts_apikey USING btree (organization_id varchar_pattern_ops);
CREATE INDEX accounts_apikey_secret_hash_a5114c09_like ON accounts_apikey USING btree (secret_hash varchar_pattern_ops);
CREATE INDEX accounts_apikey_user_id_bd902026 ON accounts_apikey USING btree (user_id);
CREATE INDEX accounts_apikey_user_id_bd902026_like ON accounts_apikey USING btree (user_id varchar_pattern_ops);
CREATE INDEX accounts_attemptcount_expires_at_c0f57527 ON accounts_attemptcount USING btree (expires_at);
CREATE INDEX accounts_attemptcount_key_9f2aca3f_like ON accounts_attemptcount USING btree (key varchar_pattern_ops);
CREATE INDEX accounts_cacheentry_cache_key_f1055399_like ON accounts_cacheentry USING btree (cache_key varchar_pattern_ops);
CREATE INDEX accounts_cacheentry_expires_ceed0ca7 ON accounts_cacheentry USING btree (expires);
CREATE INDEX accounts_grant_application_id_16bf25d5 ON accounts_grant USING btree (application_id);
CREATE INDEX accounts_grant_id_d05cd4ca_like ON accounts_grant USING btree (id varchar_pattern_ops);
CREATE INDEX accounts_grant_organization_id_2fa95cd9 ON accounts_grant USING btree (organization_id);
CREATE INDEX accounts_grant_organization_id_2fa95cd9_like ON accounts_grant USING btree (organization_id varchar_pattern_ops);
CREATE INDEX accounts_grant_user_id_7b34be41 ON accounts_grant USING btree (user_id);
CREATE INDEX accounts_grant_user_id_7b34be41_like ON accounts_grant USING btree (user_id varchar_pattern_ops);
CREATE INDEX accounts_invitation_id_e025d42e_like ON accounts_invitation USING btree (id varchar_pattern_ops);
CREATE INDEX accounts_invitation_invited_by_id_94a21efc ON accounts_invitation USING btree (invited_by_id);
CREATE INDEX accounts_invitation_invited_by_id_94a21efc_like ON accounts_invitation USING btree (invited_by_id varchar_pattern_ops);
CREATE INDEX accounts_invitation_organization_id_2be75950 ON accounts_invitation USING btree (organization_id);
CREATE INDEX accounts_invitation_organization_id_2be75950_like ON accounts_invitation USING btree (organization_id varchar_pattern_ops);
CREATE INDEX accounts_invitation_secret_hash_f8e85b08_like ON accounts_invitation USING btree (secret_hash varchar_pattern_ops);
CREATE INDEX accounts_knownnetwork_expires_at_0ea285d2 ON accounts_knownnetwork USING btree (expires_at);
CREATE INDEX accounts_knownnetwork_key_c16a6158_like ON accounts_knownnetwork USING btree (key varchar_pattern_ops);
CREATE INDEX accounts_membership_id_1265da87_like ON accounts_membership USING btree (id varchar_pattern_ops);
CREATE INDEX accounts_membership_organization_id_936776de ON accounts_membership USING btree (organization_id);
CREATE INDEX accounts_membership_organization_id_936776de_like ON accounts_membership USING btree (organization_id varchar_pattern_ops);
CREATE INDEX accounts_membership_user_id_487fb39e ON accounts_membership USING btree (user_id);
CREATE INDEX accounts_membership_user_id_487fb39e_like ON accounts_membership USING btree (user_id varchar_pattern_ops);
CREATE INDEX accounts_organization_id_69d12f87_like ON accounts_organization USING btree (id varchar_pattern_ops);
CREATE INDEX accounts_refreshtoken_expires_at_9f538c91 ON accounts_refreshtoken USING btree (expires_at);
CREATE INDEX accounts_refreshtoken_family_id_2a80de66 ON accounts_refreshtoken USING btree (family_id);
CREATE INDEX accounts_refreshtoken_family_id_2a80de66_like ON accounts_refreshtoken USING btree (family_id varchar_pattern_ops);
CREATE INDEX accounts_refreshtoken_secret_hash_42029cbe_like ON accounts_refreshtoken USING btree (secret_hash varchar_pattern_ops);
CREATE INDEX accounts_tokenfamily_code_hash_fbe2b875_like ON accounts_tokenfamily USING btree (code_hash varchar_pattern_ops);
CREATE INDEX accounts_tokenfamily_grant_id_90600b75 ON accounts_tokenfamily USING btree (grant_id);
CREATE INDEX accounts_tokenfamily_grant_id_90600b75_like ON accounts_tokenfamily USING btree (grant_id varchar_pattern_ops);
CREATE INDEX accounts_tokenfamily_id_31f60216_like ON accounts_tokenfamily USING btree (id varchar_pattern_ops);
CREATE INDEX accounts_user_email_b2644a56_like ON accounts_user USING btree (email varchar_pattern_ops);
CREATE INDEX accounts_user_groups_group_id_bd11a704 ON accounts_user_groups USING btree (group_id);
CREATE INDEX accounts_user_groups_user_id_52b62117 ON accounts_user_groups USING btree (user_id);
CREATE INDEX accounts_user_groups_user_id_52b62117_like ON accounts_user_groups USING btree (user_id varchar_pattern_ops);
CREATE INDEX accounts_user_id_de90ab15_like ON accounts_user USING btree (id varchar_pattern_ops);
CREATE INDEX accounts_user_user_permissions_permission_id_113bb443 ON accounts_user_user_permissions USING btree (permission_id);
CREATE INDEX accounts_user_user_permissions_user_id_e4f0a161 ON accounts_user_user_permissions USING btree (user_id);
CREATE INDEX accounts_user_user_permissions_user_id_e4f0a161_like ON accounts_user_user_permissions USING btree (user_id varchar_pattern_ops);
CREATE INDEX audit_by_organization ON audit_auditentry USING btree (organization_id, id DESC);
CREATE INDEX auth_group_name_a6ea08ec_like ON auth_group USING btree (name varchar_pattern_ops);
CREATE INDEX auth_group_permissions_group_id_b120cbf9 ON auth_group_permissions USING btree (group_id);
CREATE INDEX auth_group_permissions_permission_id_84c5c92e ON auth_group_permissions USING btree (permission_id);
CREATE INDEX auth_permission_content_type_id_2f476e4b ON auth_permission USING btree (content_type_id);
CREATE INDEX billing_chargeperiod_id_0335f7ec_like ON billing_chargeperiod USING btree (id varchar_pattern_ops);
CREATE INDEX billing_chargeperiod_organization_id_bb65e507 ON billing_chargeperiod USING btree (organization_id);
CREATE INDEX billing_chargeperiod_organization_id_bb65e507_like ON billing_chargeperiod USING btree (organization_id varchar_pattern_ops);
CREATE INDEX builds_baseline_id_0ae68307_like ON builds_baseline USING btree (id varchar_pattern_ops);
CREATE INDEX builds_baseline_product_id_b63e3358 ON builds_baseline USING btree (product_id);
CREATE INDEX builds_baseline_product_id_b63e3358_like ON builds_baseline USING btree (product_id varchar_pattern_ops);
CREATE INDEX builds_baselineentry_baseline_id_e000bba6 ON builds_baselineentry USING btree (baseline_id);
CREATE INDEX builds_baselineentry_baseline_id_e000bba6_like ON builds_baselineentry USING btree (baseline_id varchar_pattern_ops);
CREATE INDEX builds_baselineentry_image_id_c57e20c8 ON builds_baselineentry USING btree (image_id);
CREATE INDEX builds_baselinemove_baseline_id_f513ec63 ON builds_baselinemove USING btree (baseline_id);
CREATE INDEX builds_baselinemove_baseline_id_f513ec63_like ON builds_baselinemove USING btree (baseline_id varchar_pattern_ops);
CREATE INDEX builds_baselinemove_build_id_e23f882e ON builds_baselinemove USING btree (build_id);
CREATE INDEX builds_baselinemove_build_id_e23f882e_like ON builds_baselinemove USING btree (build_id varchar_pattern_ops);
CREATE INDEX builds_baselinemove_id_b05ee37d_like ON builds_baselinemove USING btree (id varchar_pattern_ops);
CREATE INDEX builds_build_baseline_id_c33ab4d1 ON builds_build USING btree (baseline_id);
CREATE INDEX builds_build_baseline_id_c33ab4d1_like ON builds_build USING btree (baseline_id varchar_pattern_ops);
CREATE INDEX builds_build_id_f4ce6a7f_like ON builds_build USING btree (id varchar_pattern_ops);
CREATE INDEX builds_build_product_id_8ba4895a ON builds_build USING btree (product_id);
CREATE INDEX builds_build_product_id_8ba4895a_like ON builds_build USING btree (product_id varchar_pattern_ops);
CREATE INDEX builds_build_repository_id_0e224014 ON builds_build USING btree (repository_id);
CREATE INDEX builds_build_repository_id_0e224014_like ON builds_build USING btree (repository_id varchar_pattern_ops);
CREATE INDEX builds_build_superseded_by_id_8b953caa ON builds_build USING btree (superseded_by_id);
CREATE INDEX builds_build_superseded_by_id_8b953caa_like ON builds_build USING btree (superseded_by_id varchar_pattern_ops);
CREATE INDEX builds_buildshard_build_id_a2122c8a ON builds_buildshard USING btree (build_id);
CREATE INDEX builds_buildshard_build_id_a2122c8a_like ON builds_buildshard USING btree (build_id varchar_pattern_ops);
CREATE INDEX builds_changegroup_build_id_83cb0bb4 ON builds_changegroup USING btree (build_id);
CREATE INDEX builds_changegroup_build_id_83cb0bb4_like ON builds_changegroup USING btree (build_id varchar_pattern_ops);
CREATE INDEX builds_changegroup_id_1874e26c_like ON builds_changegroup USING btree (id varchar_pattern_ops);
CREATE INDEX builds_comparison_organization_id_5cfda7c0 ON builds_comparison USING btree (organization_id);
CREATE INDEX builds_comparison_organization_id_5cfda7c0_like ON builds_comparison USING btree (organization_id varchar_pattern_ops);
CREATE INDEX builds_decisionbatch_build_id_02e43b52 ON builds_decisionbatch USING btree (build_id);
CREATE INDEX builds_decisionbatch_build_id_02e43b52_like ON builds_decisionbatch USING btree (build_id varchar_pattern_ops);
CREATE INDEX builds_decisionbatch_id_c595b066_like ON builds_decisionbatch USING btree (id varchar_pattern_ops);
CREATE INDEX builds_decisionbatch_undoes_id_c0a422ef_like ON builds_decisionbatch USING btree (undoes_id varchar_pattern_ops);
CREATE INDEX builds_hostmessage_id_b76b2629_like ON builds_hostmessage USING btree (id varchar_pattern_ops);
CREATE INDEX builds_hostmessage_repository_id_aa3e6f67 ON builds_hostmessage USING btree (repository_id);
CREATE INDEX builds_hostmessage_repository_id_aa3e6f67_like ON builds_hostmessage USING btree (repository_id varchar_pattern_ops);
CREATE INDEX builds_hostmessage_review_entry_id_68e21002 ON builds_hostmessage USING btree (review_entry_id);
CREATE INDEX builds_image_organization_id_41e6b511 ON builds_image USING btree (organization_id);
CREATE INDEX builds_image_organization_id_41e6b511_like ON builds_image USING btree (organization_id varchar_pattern_ops);
CREATE INDEX builds_imageview_screenshot_id_dfd04fd2 ON builds_imageview USING btree (screenshot_id);
CREATE INDEX builds_imageview_screenshot_id_dfd04fd2_like ON builds_imageview USING btree (screenshot_id varchar_pattern_ops);
CREATE INDEX builds_newest_first ON builds_build USING btree (repository_id, number DESC);
CREATE INDEX builds_of_branch ON builds_build USING btree (product_id, head_repository, branch);
CREATE INDEX builds_of_commit ON builds_build USING btree (repository_id, commit);
CREATE INDEX builds_of_product ON builds_build USING btree (product_id, number DESC);
CREATE INDEX builds_of_pull_request ON builds_build USING btree (repository_id, pull_request) WHERE (pull_request IS NOT NULL);
CREATE INDEX builds_pullrequest_repository_id_66b3611e ON builds_pullrequest USING btree (repository_id);
CREATE INDEX builds_pullrequest_repository_id_66b3611e_like ON builds_pullrequest USING btree (repository_id varchar_pattern_ops);
CREATE INDEX builds_reviewentry_baseline_id_d5374b09 ON builds_reviewentry USING btree (baseline_id);
CREATE INDEX builds_reviewentry_baseline_id_d5374b09_like ON builds_reviewentry USING btree (baseline_id varchar_pattern_ops);
CREATE INDEX builds_reviewentry_left_image_id_3d04527b ON builds_reviewentry USING btree (left_image_id);
CREATE INDEX builds_reviewentry_right_image_id_4f0bfa91 ON builds_reviewentry USING btree (right_image_id);
CREATE INDEX builds_reviewentry_screenshot_id_20a7d7c4 ON builds_reviewentry USING btree (screenshot_id);
CREATE INDEX builds_reviewentry_screenshot_id_20a7d7c4_like ON builds_reviewentry USING btree (screenshot_id varchar_pattern_ops);
CREATE INDEX builds_screenshot_baseline_image_id_a60e7743 ON builds_screenshot USING btree (baseline_image_id);
CREATE INDEX builds_screenshot_build_id_e8b93809 ON builds_screenshot USING btree (build_id);
CREATE INDEX builds_screenshot_build_id_e8b93809_like ON builds_screenshot USING btree (build_id varchar_pattern_ops);
CREATE INDEX builds_screenshot_comparison_id_bea3dc88 ON builds_screenshot USING btree (comparison_id);
CREATE INDEX builds_screenshot_id_68e1edcd_like ON builds_screenshot USING btree (id varchar_pattern_ops);
CREATE INDEX builds_screenshot_image_id_6b2f2c1e ON builds_screenshot USING btree (image_id);
CREATE INDEX builds_unfinished ON builds_build USING btree (status, last_upload_at) WHERE (status IN ('uploading', 'processing'));
CREATE INDEX charges_by_start ON billing_chargeperiod USING btree (organization_id, started_at);
CREATE INDEX django_session_expire_date_a5c62663 ON django_session USING btree (expire_date);
CREATE INDEX django_session_session_key_c0390e0f_like ON django_session USING btree (session_key varchar_pattern_ops);
CREATE INDEX entries_by_move ON builds_baselineentry USING btree (baseline_id, from_move);
CREATE INDEX idx_procrastinate_jobs_worker_not_null ON procrastinate_jobs USING btree (worker_id) WHERE ((worker_id IS NOT NULL) AND (status = 'doing'::procrastinate_job_status));
CREATE INDEX idx_procrastinate_workers_last_heartbeat ON procrastinate_workers USING btree (last_heartbeat);
CREATE INDEX messages_newest_first ON builds_hostmessage USING btree (repository_id, changed_at DESC);
CREATE INDEX messages_waiting ON builds_hostmessage USING btree (changed_at) WHERE ((state)::text = 'waiting'::text);
CREATE INDEX messages_waiting_by_stream ON builds_hostmessage USING btree (repository_id, stream) WHERE ((state)::text = 'waiting'::text);
CREATE INDEX oauth2_prov_token_f_996e8a_idx ON oauth2_provider_refreshtoken USING btree (token_family);
CREATE INDEX oauth2_provider_accesstoken_application_id_b22886e1 ON oauth2_provider_accesstoken USING btree (application_id);
CREATE INDEX oauth2_provider_accesstoken_token_checksum_85319a26_like ON oauth2_provider_accesstoken USING btree (token_checksum varchar_pattern_ops);
CREATE INDEX oauth2_provider_accesstoken_user_id_6e4c9a65 ON oauth2_provider_accesstoken USING btree (user_id);
CREATE INDEX oauth2_provider_accesstoken_user_id_6e4c9a65_like ON oauth2_provider_accesstoken USING btree (user_id varchar_pattern_ops);
CREATE INDEX oauth2_provider_application_client_id_03f0cc84_like ON oauth2_provider_application USING btree (client_id varchar_pattern_ops);
CREATE INDEX oauth2_provider_application_client_secret_53133678 ON oauth2_provider_application USING btree (client_secret);
CREATE INDEX oauth2_provider_application_client_secret_53133678_like ON oauth2_provider_application USING btree (client_secret varchar_pattern_ops);
CREATE INDEX oauth2_provider_application_user_id_79829054 ON oauth2_provider_application USING btree (user_id);
CREATE INDEX oauth2_provider_application_user_id_79829054_like ON oauth2_provider_application USING btree (user_id varchar_pattern_ops);
CREATE INDEX oauth2_provider_devicegrant_client_id_229dd06d ON oauth2_provider_devicegrant USING btree (client_id);
CREATE INDEX oauth2_provider_devicegrant_client_id_229dd06d_like ON oauth2_provider_devicegrant USING btree (client_id varchar_pattern_ops);
CREATE INDEX oauth2_provider_devicegrant_user_id_1cec5156 ON oauth2_provider_devicegrant USING btree (user_id);
CREATE INDEX oauth2_provider_devicegrant_user_id_1cec5156_like ON oauth2_provider_devicegrant USING btree (user_id varchar_pattern_ops);
CREATE INDEX oauth2_provider_grant_application_id_81923564 ON oauth2_provider_grant USING btree (application_id);
CREATE INDEX oauth2_provider_grant_code_49ab4ddf_like ON oauth2_provider_grant USING btree (code varchar_pattern_ops);
CREATE INDEX oauth2_provider_grant_user_id_e8f62af8 ON oauth2_provider_grant USING btree (user_id);
CREATE INDEX oauth2_provider_grant_user_id_e8f62af8_like ON oauth2_provider_grant USING btree (user_id varchar_pattern_ops);
CREATE INDEX oauth2_provider_idtoken_application_id_08c5ff4f ON oauth2_provider_idtoken USING btree (application_id);
CREATE INDEX oauth2_provider_idtoken_user_id_dd512b59 ON oauth2_provider_idtoken USING btree (user_id);
CREATE INDEX oauth2_provider_idtoken_user_id_dd512b59_like ON oauth2_provider_idtoken USING btree (user_id varchar_pattern_ops);
CREATE INDEX oauth2_provider_refreshtoken_application_id_2d1c311b ON oauth2_provider_refreshtoken USING btree (application_id);
CREATE INDEX oauth2_provider_refreshtoken_user_id_da837fce ON oauth2_provider_refreshtoken USING btree (user_id);
CREATE INDEX oauth2_provider_refreshtoken_user_id_da837fce_like ON oauth2_provider_refreshtoken USING btree (user_id varchar_pattern_ops);
CREATE UNIQUE INDEX one_grant_for_each_app ON accounts_grant USING btree (user_id, organization_id, application_id) WHERE (disconnected_at IS NULL);
CREATE UNIQUE INDEX one_live_entry_a_variant ON builds_baselineentry USING btree (baseline_id, story_id, theme, device) WHERE (to_move IS NULL);
CREATE UNIQUE INDEX one_open_charge ON billing_chargeperiod USING btree (product, subject_id) WHERE (ended_at IS NULL);
CREATE UNIQUE INDEX one_repository_of_a_host_id ON repositories_repository USING btree (host_account_id, host_id) WHERE ((removed_at IS NULL) AND (NOT ((host_id)::text = ''::text)));
CREATE UNIQUE INDEX one_repository_of_a_name ON repositories_repository USING btree (organization_id, lower((full_name)::text)) WHERE (removed_at IS NULL);
CREATE UNIQUE INDEX one_screenshot_a_number ON builds_screenshot USING btree (build_id, number) WHERE (number IS NOT NULL);
CREATE UNIQUE INDEX one_test_of_its_names ON recordings_linkedtest USING btree (product_id, md5((file)::text), md5((suite)::text), md5((title)::text));
CREATE INDEX procrastinate_events_job_id_fkey_v1 ON procrastinate_events USING btree (job_id);
CREATE INDEX procrastinate_jobs_id_lock_idx_v1 ON procrastinate_jobs USING btree (id, lock) WHERE (status = ANY (ARRAY['todo'::procrastinate_job_status, 'doing'::procrastinate_job_status]));
CREATE UNIQUE INDEX procrastinate_jobs_lock_idx_v1 ON procrastinate_jobs USING btree (lock) WHERE (status = 'doing'::procrastinate_job_status);
CREATE INDEX procrastinate_jobs_priority_idx_v1 ON procrastinate_jobs USING btree (priority DESC, id) WHERE (status = 'todo'::procrastinate_job_status);
CREATE INDEX procrastinate_jobs_queue_name_idx_v1 ON procrastinate_jobs USING btree (queue_name);
CREATE UNIQUE INDEX procrastinate_jobs_queueing_lock_idx_v1 ON procrastinate_jobs USING btree (queueing_lock) WHERE (status = 'todo'::procrastinate_job_status);
CREATE INDEX procrastinate_periodic_defers_job_id_fkey_v1 ON procrastinate_periodic_defers USING btree (job_id);
CREATE INDEX recordings_attachment_id_8cc62c86_like ON recordings_attachment USING btree (id varchar_pattern_ops);
CREATE INDEX recordings_attachment_recording_id_41e5a9db ON recordings_attachment USING btree (recording_id);
CREATE INDEX recordings_attachment_recording_id_41e5a9db_like ON recordings_attachment USING btree (recording_id varchar_pattern_ops);
CREATE INDEX recordings_deleted ON recordings_recording USING btree (deleted_at) WHERE (deleted_at IS NOT NULL);
CREATE INDEX recordings_enrollment_repository_id_513b6462_like ON recordings_enrollment USING btree (repository_id varchar_pattern_ops);
CREATE INDEX recordings_linkedtest_id_c59d0b18_like ON recordings_linkedtest USING btree (id varchar_pattern_ops);
CREATE INDEX recordings_linkedtest_product_id_4710826e ON recordings_linkedtest USING btree (product_id);
CREATE INDEX recordings_linkedtest_product_id_4710826e_like ON recordings_linkedtest USING btree (product_id varchar_pattern_ops);
CREATE INDEX recordings_newest ON recordings_recording USING btree (repository_id, created_at DESC, id DESC);
CREATE INDEX recordings_of_commit ON recordings_recording USING btree (repository_id, commit);
CREATE INDEX recordings_of_product ON recordings_recording USING btree (product_id, created_at DESC, id DESC);
CREATE INDEX recordings_recording_id_af8a1ad7_like ON recordings_recording USING btree (id varchar_pattern_ops);
CREATE INDEX recordings_recording_product_id_895cf7d1 ON recordings_recording USING btree (product_id);
CREATE INDEX recordings_recording_product_id_895cf7d1_like ON recordings_recording USING btree (product_id varchar_pattern_ops);
CREATE INDEX recordings_recording_repository_id_980a8e61 ON recordings_recording USING btree (repository_id);
CREATE INDEX recordings_recording_repository_id_980a8e61_like ON recordings_recording USING btree (repository_id varchar_pattern_ops);
CREATE INDEX recordings_recording_test_id_dd7655a3 ON recordings_recording USING btree (test_id);
CREATE INDEX recordings_recording_test_id_dd7655a3_like ON recordings_recording USING btree (test_id varchar_pattern_ops);
CREATE INDEX recordings_unfinished ON recordings_recording USING btree (status, last_upload_at) WHERE (status IN ('uploading', 'processing'));
CREATE INDEX repositories_dynamicregions_product_id_41974de2 ON repositories_dynamicregions USING btree (product_id);
CREATE INDEX repositories_dynamicregions_product_id_41974de2_like ON repositories_dynamicregions USING btree (product_id varchar_pattern_ops);
CREATE INDEX repositories_hostaccount_id_0efa3519_like ON repositories_hostaccount USING btree (id varchar_pattern_ops);
CREATE INDEX repositories_hostaccount_organization_id_ca33e7d0_like ON repositories_hostaccount USING btree (organization_id varchar_pattern_ops);
CREATE INDEX repositories_organizationcapture_organization_id_21480d7b_like ON repositories_organizationcapture USING btree (organization_id varchar_pattern_ops);
CREATE INDEX repositories_product_id_8e09de58_like ON repositories_product USING btree (id varchar_pattern_ops);
CREATE INDEX repositories_product_repository_id_a7c28871 ON repositories_product USING btree (repository_id);
CREATE INDEX repositories_product_repository_id_a7c28871_like ON repositories_product USING btree (repository_id varchar_pattern_ops);
CREATE INDEX repositories_projecttoken_id_8c05cba0_like ON repositories_projecttoken USING btree (id varchar_pattern_ops);
CREATE INDEX repositories_projecttoken_repository_id_8eb2deb2 ON repositories_projecttoken USING btree (repository_id);
CREATE INDEX repositories_projecttoken_repository_id_8eb2deb2_like ON repositories_projecttoken USING btree (repository_id varchar_pattern_ops);
CREATE INDEX repositories_projecttoken_secret_hash_efafb01c_like ON repositories_projecttoken USING btree (secret_hash varchar_pattern_ops);
CREATE INDEX repositories_repository_host_account_id_20cf7e5d ON repositories_repository USING btree (host_account_id);
CREATE INDEX repositories_repository_host_account_id_20cf7e5d_like ON repositories_repository USING btree (host_account_id varchar_pattern_ops);
CREATE INDEX repositories_repository_id_2e2541a9_like ON repositories_repository USING btree (id varchar_pattern_ops);
CREATE INDEX repositories_repository_organization_id_195eadac ON repositories_repository USING btree (organization_id);
CREATE INDEX repositories_repository_organization_id_195eadac_like ON repositories_repository USING btree (organization_id varchar_pattern_ops);
CREATE INDEX repositories_retention_organization_id_284b21db_like ON repositories_retention USING btree (organization_id varchar_pattern_ops);
CREATE INDEX repositories_storageuse_organization_id_bc3520da ON repositories_storageuse USING btree (organization_id);
CREATE INDEX repositories_storageuse_organization_id_bc3520da_like ON repositories_storageuse USING btree (organization_id varchar_pattern_ops);
CREATE INDEX repositories_storageuse_repository_id_8d198a67 ON repositories_storageuse USING btree (repository_id);
CREATE INDEX repositories_storageuse_repository_id_8d198a67_like ON repositories_storageuse USING btree (repository_id varchar_pattern_ops);
CREATE INDEX repositories_webhookdelivery_account_id_4b9fea9b ON repositories_webhookdelivery USING btree (account_id);
CREATE INDEX repositories_webhookdelivery_account_id_4b9fea9b_like ON repositories_webhookdelivery USING btree (account_id varchar_pattern_ops);
CREATE INDEX review_log_by_pair ON builds_reviewentry USING btree (baseline_id, story_id, theme, device, right_image_id);
CREATE INDEX review_log_of_build ON builds_reviewentry USING btree (build_id, id);
CREATE INDEX screenshots_announced ON builds_screenshot USING btree (sha256) WHERE ((image_id IS NULL) AND (NOT ((sha256)::text = ''::text)));
CREATE INDEX screenshots_of_group ON builds_screenshot USING btree (group_id) WHERE (group_id IS NOT NULL);
CREATE UNIQUE INDEX unique_primary_email ON account_emailaddress USING btree (user_id, "primary") WHERE "primary";
CREATE UNIQUE INDEX unique_verified_email ON account_emailaddress USING btree (email) WHERE verified;
CREATE TRIGGER procrastinate_jobs_notify_queue_job_aborted_v1 AFTER UPDATE OF abort_requested ON procrastinate_jobs FOR EACH ROW WHEN (((old.abort_requested = false) AND (new.abort_requested = true) AND (new.status = 'doing'::procrastinate_job_status))) EXECUTE FUNCTION procrastinate_notify_queue_abort_job_v1();
CREATE TRIGGER procrastinate_jobs_notify_queue_job_inserted_v1 AFTER INSERT ON procrastinate_jobs FOR EACH ROW WHEN ((new.status = 'todo'::procrastinate_job_status)) EXECUTE FUNCTION procrastinate_notify_queue_job_inserted_v1();
CREATE TRIGGER procrastinate_trigger_abort_requested_events_v1 AFTER UPDATE OF abort_requested ON procrastinate_jobs FOR EACH ROW WHEN ((new.abort_requested = true)) EXECUTE FUNCTION procrastinate_trigger_abort_requested_events_procedure_v1();
CREATE TRIGGER procrastinate_trigger_delete_jobs_v1 BEFORE DELETE ON procrastinate_jobs FOR EACH ROW EXECUTE FUNCTION procrastinate_unlink_periodic_defers_v1();
CREATE TRIGGER procrastinate_trigger_scheduled_events_v1 AFTER INSERT OR UPDATE ON procrastinate_jobs FOR EACH ROW WHEN (((new.scheduled_at IS NOT NULL) AND (new.status = 'todo'::procrastinate_job_status))) EXECUTE FUNCTION procrastinate_trigger_function_scheduled_events_v1();
CREATE TRIGGER procrastinate_trigger_status_events_insert_v1 AFTER INSERT ON procrastinate_jobs FOR EACH ROW WHEN ((new.status = 'todo'::procrastinate_job_status)) EXECUTE FUNCTION procrastinate_trigger_function_status_events_insert_v1();
CREATE TRIGGER procrastinate_trigger_status_events_update_v1 AFTER UPDATE OF status ON procrastinate_jobs FOR EACH ROW EXECUTE FUNCTION procrastinate_trigger_function_status_events_update_v1();
ALTER TABLE ONLY account_emailaddress
    ADD CONSTRAINT account_emailaddress_user_id_2c513194_fk_accounts_user_id FOREIGN KEY (user_id) REFERENCES accounts_user(id) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY account_emailconfirmation
    ADD CONSTRAINT account_emailconfirm_email_address_id_5b7f8c58_fk_account_e FOREIGN KEY (email_address_id) REFERENCES account_emailaddress(id) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY accounts_accesstoken
    ADD CONSTRAINT accounts_accesstoken_family_id_d64e90cf_fk_accounts_ FOREIGN KEY (family_id) REFERENCES accounts_tokenfamily(id) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY accounts_apikey
    ADD CONSTRAINT accounts_apikey_organization_id_79d80250_fk_accounts_ FOREIGN KEY (organization_id) REFERENCES accounts_organization(id) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY accounts_apikey
    ADD CONSTRAINT accounts_apikey_user_id_bd902026_fk_accounts_user_id FOREIGN KEY (user_id) REFERENCES accounts_user(id) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY accounts_grant
    ADD CONSTRAINT accounts_grant_application_id_16bf25d5_fk_oauth2_pr FOREIGN KEY (application_id) REFERENCES oauth2_provider_application(id) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY accounts_grant
    ADD CONSTRAINT accounts_grant_organization_id_2fa95cd9_fk_accounts_ FOREIGN KEY (organization_id) REFERENCES accounts_organization(id) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY accounts_grant
    ADD CONSTRAINT accounts_grant_user_id_7b34be41_fk_accounts_user_id FOREIGN KEY (user_id) REFERENCES accounts_user(id) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY accounts_invitation
    ADD CONSTRAINT accounts_invitation_invited_by_id_94a21efc_fk_accounts_user_id FOREIGN KEY (invited_by_id) REFERENCES accounts_user(id) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY accounts_invitation
    ADD CONSTRAINT accounts_invitation_organization_id_2be75950_fk_accounts_ FOREIGN KEY (organization_id) REFERENCES accounts_organization(id) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY accounts_membership
    ADD CONSTRAINT accounts_membership_organization_id_936776de_fk_accounts_ FOREIGN KEY (organization_id) REFERENCES accounts_organization(id) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY accounts_membership
    ADD CONSTRAINT accounts_membership_user_id_487fb39e_fk_accounts_user_id FOREIGN KEY (user_id) REFERENCES accounts_user(id) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY accounts_refreshtoken
    ADD CONSTRAINT accounts_refreshtoke_family_id_2a80de66_fk_accounts_ FOREIGN KEY (family_id) REFERENCES accounts_tokenfamily(id) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY accounts_tokenfamily
    ADD CONSTRAINT accounts_tokenfamily_grant_id_90600b75_fk_accounts_grant_id FOREIGN KEY (grant_id) REFERENCES accounts_grant(id) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY accounts_user_groups
    ADD CONSTRAINT accounts_user_groups_group_id_bd11a704_fk_auth_group_id FOREIGN KEY (group_id) REFERENCES auth_group(id) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY accounts_user_groups
    ADD CONSTRAINT accounts_user_groups_user_id_52b62117_fk_accounts_user_id FOREIGN KEY (user_id) REFERENCES accounts_user(id) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY accounts_user_user_permissions
    ADD CONSTRAINT accounts_user_user_p_permission_id_113bb443_fk_auth_perm FOREIGN KEY (permission_id) REFERENCES auth_permission(id) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY accounts_user_user_permissions
    ADD CONSTRAINT accounts_user_user_p_user_id_e4f0a161_fk_accounts_ FOREIGN KEY (user_id) REFERENCES accounts_user(id) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY auth_group_permissions
    ADD CONSTRAINT auth_group_permissio_permission_id_84c5c92e_fk_auth_perm FOREIGN KEY (permission_id) REFERENCES auth_permission(id) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY auth_group_permissions
    ADD CONSTRAINT auth_group_permissions_group_id_b120cbf9_fk_auth_group_id FOREIGN KEY (group_id) REFERENCES auth_group(id) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY auth_permission
    ADD CONSTRAINT auth_permission_content_type_id_2f476e4b_fk_django_co FOREIGN KEY (content_type_id) REFERENCES django_content_type(id) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY billing_chargeperiod
    ADD CONSTRAINT billing_chargeperiod_organization_id_bb65e507_fk_accounts_ FOREIGN KEY (organization_id) REFERENCES accounts_organization(id) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY builds_baseline
    ADD CONSTRAINT builds_baseline_product_id_b63e3358_fk_repositories_product_id FOREIGN KEY (product_id) REFERENCES repositories_product(id) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY builds_baselineentry
    ADD CONSTRAINT builds_baselineentry_baseline_id_e000bba6_fk_builds_baseline_id FOREIGN KEY (baseline_id) REFERENCES builds_baseline(id) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY builds_baselineentry
    ADD CONSTRAINT builds_baselineentry_image_id_c57e20c8_fk_builds_image_id FOREIGN KEY (image_id) REFERENCES builds_image(id) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY builds_baselinemove
    ADD CONSTRAINT builds_baselinemove_baseline_id_f513ec63_fk_builds_baseline_id FOREIGN KEY (baseline_id) REFERENCES builds_baseline(id) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY builds_baselinemove
    ADD CONSTRAINT builds_baselinemove_build_id_e23f882e_fk_builds_build_id FOREIGN KEY (build_id) REFERENCES builds_build(id) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY builds_build
    ADD CONSTRAINT builds_build_baseline_id_c33ab4d1_fk_builds_baseline_id FOREIGN KEY (baseline_id) REFERENCES builds_baseline(id) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY builds_build
    ADD CONSTRAINT builds_build_product_id_8ba4895a_fk_repositories_product_id FOREIGN KEY (product_id) REFERENCES repositories_product(id) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY builds_build
    ADD CONSTRAINT builds_build_repository_id_0e224014_fk_repositor FOREIGN KEY (repository_id) REFERENCES repositories_repository(id) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY builds_build
    ADD CONSTRAINT builds_build_superseded_by_id_8b953caa_fk_builds_build_id FOREIGN KEY (superseded_by_id) REFERENCES builds_build(id) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY builds_buildshard
    ADD CONSTRAINT builds_buildshard_build_id_a2122c8a_fk_builds_build_id FOREIGN KEY (build_id) REFERENCES builds_build(id) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY builds_changegroup
    ADD CONSTRAINT builds_changegroup_build_id_83cb0bb4_fk_builds_build_id FOREIGN KEY (build_id) REFERENCES builds_build(id) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY builds_comparison
    ADD CONSTRAINT builds_comparison_organization_id_5cfda7c0_fk_accounts_ FOREIGN KEY (organization_id) REFERENCES accounts_organization(id) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY builds_decisionbatch
    ADD CONSTRAINT builds_decisionbatch_build_id_02e43b52_fk_builds_build_id FOREIGN KEY (build_id) REFERENCES builds_build(id) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY builds_decisionbatch
    ADD CONSTRAINT builds_decisionbatch_undoes_id_c0a422ef_fk_builds_de FOREIGN KEY (undoes_id) REFERENCES builds_decisionbatch(id) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY builds_hostmessage
    ADD CONSTRAINT builds_hostmessage_repository_id_aa3e6f67_fk_repositor FOREIGN KEY (repository_id) REFERENCES repositories_repository(id) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY builds_hostmessage
    ADD CONSTRAINT builds_hostmessage_review_entry_id_68e21002_fk_builds_re FOREIGN KEY (review_entry_id) REFERENCES builds_reviewentry(id) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY builds_image
    ADD CONSTRAINT builds_image_organization_id_41e6b511_fk_accounts_ FOREIGN KEY (organization_id) REFERENCES accounts_organization(id) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY builds_imageview
    ADD CONSTRAINT builds_imageview_build_id_53e71ac1_fk_builds_build_id FOREIGN KEY (build_id) REFERENCES builds_build(id) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY builds_imageview
    ADD CONSTRAINT builds_imageview_screenshot_id_dfd04fd2_fk_builds_screenshot_id FOREIGN KEY (screenshot_id) REFERENCES builds_screenshot(id) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY builds_pullrequest
    ADD CONSTRAINT builds_pullrequest_repository_id_66b3611e_fk_repositor FOREIGN KEY (repository_id) REFERENCES repositories_repository(id) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY builds_reviewentry
    ADD CONSTRAINT builds_reviewentry_baseline_id_d5374b09_fk_builds_baseline_id FOREIGN KEY (baseline_id) REFERENCES builds_baseline(id) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY builds_reviewentry
    ADD CONSTRAINT builds_reviewentry_build_id_8238bdfd_fk_builds_build_id FOREIGN KEY (build_id) REFERENCES builds_build(id) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY builds_reviewentry
    ADD CONSTRAINT builds_reviewentry_left_image_id_3d04527b_fk_builds_image_id FOREIGN KEY (left_image_id) REFERENCES builds_image(id) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY builds_reviewentry
    ADD CONSTRAINT builds_reviewentry_right_image_id_4f0bfa91_fk_builds_image_id FOREIGN KEY (right_image_id) REFERENCES builds_image(id) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY builds_reviewentry
    ADD CONSTRAINT builds_reviewentry_screenshot_id_20a7d7c4_fk_builds_sc FOREIGN KEY (screenshot_id) REFERENCES builds_screenshot(id) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY builds_screenshot
    ADD CONSTRAINT builds_screenshot_baseline_image_id_a60e7743_fk_builds_image_id FOREIGN KEY (baseline_image_id) REFERENCES builds_image(id) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY builds_screenshot
    ADD CONSTRAINT builds_screenshot_build_id_e8b93809_fk_builds_build_id FOREIGN KEY (build_id) REFERENCES builds_build(id) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY builds_screenshot
    ADD CONSTRAINT builds_screenshot_comparison_id_bea3dc88_fk_builds_co FOREIGN KEY (comparison_id) REFERENCES builds_comparison(id) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY builds_screenshot
    ADD CONSTRAINT builds_screenshot_group_id_76cddd69_fk_builds_changegroup_id FOREIGN KEY (group_id) REFERENCES builds_changegroup(id) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY builds_screenshot
    ADD CONSTRAINT builds_screenshot_image_id_6b2f2c1e_fk_builds_image_id FOREIGN KEY (image_id) REFERENCES builds_image(id) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY oauth2_provider_accesstoken
    ADD CONSTRAINT oauth2_provider_acce_application_id_b22886e1_fk_oauth2_pr FOREIGN KEY (application_id) REFERENCES oauth2_provider_application(id) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY oauth2_provider_accesstoken
    ADD CONSTRAINT oauth2_provider_acce_id_token_id_85db651b_fk_oauth2_pr FOREIGN KEY (id_token_id) REFERENCES oauth2_provider_idtoken(id) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY oauth2_provider_accesstoken
    ADD CONSTRAINT oauth2_provider_acce_source_refresh_token_e66fbc72_fk_oauth2_pr FOREIGN KEY (source_refresh_token_id) REFERENCES oauth2_provider_refreshtoken(id) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY oauth2_provider_accesstoken
    ADD CONSTRAINT oauth2_provider_acce_user_id_6e4c9a65_fk_accounts_ FOREIGN KEY (user_id) REFERENCES accounts_user(id) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY oauth2_provider_application
    ADD CONSTRAINT oauth2_provider_appl_user_id_79829054_fk_accounts_ FOREIGN KEY (user_id) REFERENCES accounts_user(id) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY oauth2_provider_devicegrant
    ADD CONSTRAINT oauth2_provider_devi_user_id_1cec5156_fk_accounts_ FOREIGN KEY (user_id) REFERENCES accounts_user(id) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY oauth2_provider_grant
    ADD CONSTRAINT oauth2_provider_gran_application_id_81923564_fk_oauth2_pr FOREIGN KEY (application_id) REFERENCES oauth2_provider_application(id) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY oauth2_provider_grant
    ADD CONSTRAINT oauth2_provider_grant_user_id_e8f62af8_fk_accounts_user_id FOREIGN KEY (user_id) REFERENCES accounts_user(id) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY oauth2_provider_idtoken
    ADD CONSTRAINT oauth2_provider_idto_application_id_08c5ff4f_fk_oauth2_pr FOREIGN KEY (application_id) REFERENCES oauth2_provider_application(id) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY oauth2_provider_idtoken
    ADD CONSTRAINT oauth2_provider_idtoken_user_id_dd512b59_fk_accounts_user_id FOREIGN KEY (user_id) REFERENCES accounts_user(id) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY oauth2_provider_refreshtoken
    ADD CONSTRAINT oauth2_provider_refr_access_token_id_775e84e8_fk_oauth2_pr FOREIGN KEY (access_token_id) REFERENCES oauth2_provider_accesstoken(id) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY oauth2_provider_refreshtoken
    ADD CONSTRAINT oauth2_provider_refr_application_id_2d1c311b_fk_oauth2_pr FOREIGN KEY (application_id) REFERENCES oauth2_provider_application(id) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY oauth2_provider_refreshtoken
    ADD CONSTRAINT oauth2_provider_refr_user_id_da837fce_fk_accounts_ FOREIGN KEY (user_id) REFERENCES accounts_user(id) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY procrastinate_events
    ADD CONSTRAINT procrastinate_events_job_id_fkey FOREIGN KEY (job_id) REFERENCES procrastinate_jobs(id) ON DELETE CASCADE;
ALTER TABLE ONLY procrastinate_jobs
    ADD CONSTRAINT procrastinate_jobs_worker_id_fkey FOREIGN KEY (worker_id) REFERENCES procrastinate_workers(id) ON DELETE SET NULL;
ALTER TABLE ONLY procrastinate_periodic_defers
    ADD CONSTRAINT procrastinate_periodic_defers_job_id_fkey FOREIGN KEY (job_id) REFERENCES procrastinate_jobs(id);
ALTER TABLE ONLY recordings_attachment
    ADD CONSTRAINT recordings_attachmen_recording_id_41e5a9db_fk_recording FOREIGN KEY (recording_id) REFERENCES recordings_recording(id) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY recordings_enrollment
    ADD CONSTRAINT recordings_enrollmen_repository_id_513b6462_fk_repositor FOREIGN KEY (repository_id) REFERENCES repositories_repository(id) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY recordings_linkedtest
    ADD CONSTRAINT recordings_linkedtes_product_id_4710826e_fk_repositor FOREIGN KEY (product_id) REFERENCES repositories_product(id) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY recordings_recording
    ADD CONSTRAINT recordings_recording_product_id_895cf7d1_fk_repositor FOREIGN KEY (product_id) REFERENCES repositories_product(id) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY recordings_recording
    ADD CONSTRAINT recordings_recording_repository_id_980a8e61_fk_repositor FOREIGN KEY (repository_id) REFERENCES repositories_repository(id) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY recordings_recording
    ADD CONSTRAINT recordings_recording_test_id_dd7655a3_fk_recording FOREIGN KEY (test_id) REFERENCES recordings_linkedtest(id) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY repositories_dynamicregions
    ADD CONSTRAINT repositories_dynamic_product_id_41974de2_fk_repositor FOREIGN KEY (product_id) REFERENCES repositories_product(id) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY repositories_hostaccount
    ADD CONSTRAINT repositories_hostacc_organization_id_ca33e7d0_fk_accounts_ FOREIGN KEY (organization_id) REFERENCES accounts_organization(id) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY repositories_organizationcapture
    ADD CONSTRAINT repositories_organiz_organization_id_21480d7b_fk_accounts_ FOREIGN KEY (organization_id) REFERENCES accounts_organization(id) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY repositories_product
    ADD CONSTRAINT repositories_product_repository_id_a7c28871_fk_repositor FOREIGN KEY (repository_id) REFERENCES repositories_repository(id) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY repositories_projecttoken
    ADD CONSTRAINT repositories_project_repository_id_8eb2deb2_fk_repositor FOREIGN KEY (repository_id) REFERENCES repositories_repository(id) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY repositories_repository
    ADD CONSTRAINT repositories_reposit_host_account_id_20cf7e5d_fk_repositor FOREIGN KEY (host_account_id) REFERENCES repositories_hostaccount(id) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY repositories_repository
    ADD CONSTRAINT repositories_reposit_organization_id_195eadac_fk_accounts_ FOREIGN KEY (organization_id) REFERENCES accounts_organization(id) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY repositories_retention
    ADD CONSTRAINT repositories_retenti_organization_id_284b21db_fk_accounts_ FOREIGN KEY (organization_id) REFERENCES accounts_organization(id) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY repositories_storageuse
    ADD CONSTRAINT repositories_storage_organization_id_bc3520da_fk_accounts_ FOREIGN KEY (organization_id) REFERENCES accounts_organization(id) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY repositories_storageuse
    ADD CONSTRAINT repositories_storage_repository_id_8d198a67_fk_repositor FOREIGN KEY (repository_id) REFERENCES repositories_repository(id) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY repositories_webhookdelivery
    ADD CONSTRAINT repositories_webhook_account_id_4b9fea9b_fk_repositor FOREIGN KEY (account_id) REFERENCES repositories_hostaccount(id) DEFERRABLE INITIALLY DEFERRED;

INSERT INTO django_content_type VALUES
	(1, 'auth', 'permission'),
	(2, 'auth', 'group'),
	(3, 'contenttypes', 'contenttype'),
	(4, 'sessions', 'session'),
	(5, 'oauth2_provider', 'application'),
	(6, 'oauth2_provider', 'accesstoken'),
	(7, 'oauth2_provider', 'grant'),
	(8, 'oauth2_provider', 'refreshtoken'),
	(9, 'oauth2_provider', 'idtoken'),
	(10, 'oauth2_provider', 'devicegrant'),
	(11, 'procrastinate', 'procrastinateevent'),
	(12, 'procrastinate', 'procrastinatejob'),
	(13, 'procrastinate', 'procrastinateperiodicdefer'),
	(14, 'procrastinate', 'procrastinateworker'),
	(15, 'audit', 'auditentry'),
	(16, 'accounts', 'organization'),
	(17, 'accounts', 'user'),
	(18, 'accounts', 'invitation'),
	(19, 'accounts', 'apikey'),
	(20, 'accounts', 'membership'),
	(21, 'accounts', 'cacheentry'),
	(22, 'accounts', 'grant'),
	(23, 'accounts', 'tokenfamily'),
	(24, 'accounts', 'refreshtoken'),
	(25, 'accounts', 'accesstoken'),
	(26, 'accounts', 'attemptcount'),
	(27, 'accounts', 'knownnetwork'),
	(28, 'repositories', 'organizationcapture'),
	(29, 'repositories', 'repository'),
	(30, 'repositories', 'projecttoken'),
	(31, 'repositories', 'product'),
	(32, 'repositories', 'dynamicregions'),
	(33, 'repositories', 'retention'),
	(34, 'repositories', 'hostaccount'),
	(35, 'repositories', 'webhookdelivery'),
	(36, 'repositories', 'storageuse'),
	(37, 'billing', 'chargeperiod'),
	(38, 'builds', 'baseline'),
	(39, 'builds', 'build'),
	(40, 'builds', 'baselinemove'),
	(41, 'builds', 'buildshard'),
	(42, 'builds', 'comparison'),
	(43, 'builds', 'image'),
	(44, 'builds', 'baselineentry'),
	(45, 'builds', 'screenshot'),
	(46, 'builds', 'reviewentry'),
	(47, 'builds', 'hostmessage'),
	(48, 'builds', 'pullrequest'),
	(49, 'builds', 'changegroup'),
	(50, 'builds', 'decisionbatch'),
	(51, 'builds', 'imageview'),
	(52, 'recordings', 'enrollment'),
	(53, 'recordings', 'linkedtest'),
	(54, 'recordings', 'recording'),
	(55, 'recordings', 'attachment'),
	(56, 'account', 'emailaddress'),
	(57, 'account', 'emailconfirmation');
INSERT INTO auth_permission VALUES
	(1, 'Can add permission', 1, 'add_permission'),
	(2, 'Can change permission', 1, 'change_permission'),
	(3, 'Can delete permission', 1, 'delete_permission'),
	(4, 'Can view permission', 1, 'view_permission'),
	(5, 'Can add group', 2, 'add_group'),
	(6, 'Can change group', 2, 'change_group'),
	(7, 'Can delete group', 2, 'delete_group'),
	(8, 'Can view group', 2, 'view_group'),
	(9, 'Can add content type', 3, 'add_contenttype'),
	(10, 'Can change content type', 3, 'change_contenttype'),
	(11, 'Can delete content type', 3, 'delete_contenttype'),
	(12, 'Can view content type', 3, 'view_contenttype'),
	(13, 'Can add session', 4, 'add_session'),
	(14, 'Can change session', 4, 'change_session'),
	(15, 'Can delete session', 4, 'delete_session'),
	(16, 'Can view session', 4, 'view_session'),
	(17, 'Can add application', 5, 'add_application'),
	(18, 'Can change application', 5, 'change_application'),
	(19, 'Can delete application', 5, 'delete_application'),
	(20, 'Can view application', 5, 'view_application'),
	(21, 'Can add access token', 6, 'add_accesstoken'),
	(22, 'Can change access token', 6, 'change_accesstoken'),
	(23, 'Can delete access token', 6, 'delete_accesstoken'),
	(24, 'Can view access token', 6, 'view_accesstoken'),
	(25, 'Can add grant', 7, 'add_grant'),
	(26, 'Can change grant', 7, 'change_grant'),
	(27, 'Can delete grant', 7, 'delete_grant'),
	(28, 'Can view grant', 7, 'view_grant'),
	(29, 'Can add refresh token', 8, 'add_refreshtoken'),
	(30, 'Can change refresh token', 8, 'change_refreshtoken'),
	(31, 'Can delete refresh token', 8, 'delete_refreshtoken'),
	(32, 'Can view refresh token', 8, 'view_refreshtoken'),
	(33, 'Can add id token', 9, 'add_idtoken'),
	(34, 'Can change id token', 9, 'change_idtoken'),
	(35, 'Can delete id token', 9, 'delete_idtoken'),
	(36, 'Can view id token', 9, 'view_idtoken'),
	(37, 'Can add device grant', 10, 'add_devicegrant'),
	(38, 'Can change device grant', 10, 'change_devicegrant'),
	(39, 'Can delete device grant', 10, 'delete_devicegrant'),
	(40, 'Can view device grant', 10, 'view_devicegrant'),
	(41, 'Can add procrastinate event', 11, 'add_procrastinateevent'),
	(42, 'Can change procrastinate event', 11, 'change_procrastinateevent'),
	(43, 'Can delete procrastinate event', 11, 'delete_procrastinateevent'),
	(44, 'Can view procrastinate event', 11, 'view_procrastinateevent'),
	(45, 'Can add procrastinate job', 12, 'add_procrastinatejob'),
	(46, 'Can change procrastinate job', 12, 'change_procrastinatejob'),
	(47, 'Can delete procrastinate job', 12, 'delete_procrastinatejob'),
	(48, 'Can view procrastinate job', 12, 'view_procrastinatejob'),
	(49, 'Can add procrastinate periodic defer', 13, 'add_procrastinateperiodicdefer'),
	(50, 'Can change procrastinate periodic defer', 13, 'change_procrastinateperiodicdefer'),
	(51, 'Can delete procrastinate periodic defer', 13, 'delete_procrastinateperiodicdefer'),
	(52, 'Can view procrastinate periodic defer', 13, 'view_procrastinateperiodicdefer'),
	(53, 'Can add procrastinate worker', 14, 'add_procrastinateworker'),
	(54, 'Can change procrastinate worker', 14, 'change_procrastinateworker'),
	(55, 'Can delete procrastinate worker', 14, 'delete_procrastinateworker'),
	(56, 'Can view procrastinate worker', 14, 'view_procrastinateworker'),
	(57, 'Can add audit entry', 15, 'add_auditentry'),
	(58, 'Can change audit entry', 15, 'change_auditentry'),
	(59, 'Can delete audit entry', 15, 'delete_auditentry'),
	(60, 'Can view audit entry', 15, 'view_auditentry'),
	(61, 'Can add organization', 16, 'add_organization'),
	(62, 'Can change organization', 16, 'change_organization'),
	(63, 'Can delete organization', 16, 'delete_organization'),
	(64, 'Can view organization', 16, 'view_organization'),
	(65, 'Can add user', 17, 'add_user'),
	(66, 'Can change user', 17, 'change_user'),
	(67, 'Can delete user', 17, 'delete_user'),
	(68, 'Can view user', 17, 'view_user'),
	(69, 'Can add invitation', 18, 'add_invitation'),
	(70, 'Can change invitation', 18, 'change_invitation'),
	(71, 'Can delete invitation', 18, 'delete_invitation'),
	(72, 'Can view invitation', 18, 'view_invitation'),
	(73, 'Can add api key', 19, 'add_apikey'),
	(74, 'Can change api key', 19, 'change_apikey'),
	(75, 'Can delete api key', 19, 'delete_apikey'),
	(76, 'Can view api key', 19, 'view_apikey'),
	(77, 'Can add membership', 20, 'add_membership'),
	(78, 'Can change membership', 20, 'change_membership'),
	(79, 'Can delete membership', 20, 'delete_membership'),
	(80, 'Can view membership', 20, 'view_membership'),
	(81, 'Can add cache entry', 21, 'add_cacheentry'),
	(82, 'Can change cache entry', 21, 'change_cacheentry'),
	(83, 'Can delete cache entry', 21, 'delete_cacheentry'),
	(84, 'Can view cache entry', 21, 'view_cacheentry'),
	(85, 'Can add grant', 22, 'add_grant'),
	(86, 'Can change grant', 22, 'change_grant'),
	(87, 'Can delete grant', 22, 'delete_grant'),
	(88, 'Can view grant', 22, 'view_grant'),
	(89, 'Can add token family', 23, 'add_tokenfamily'),
	(90, 'Can change token family', 23, 'change_tokenfamily'),
	(91, 'Can delete token family', 23, 'delete_tokenfamily'),
	(92, 'Can view token family', 23, 'view_tokenfamily'),
	(93, 'Can add refresh token', 24, 'add_refreshtoken'),
	(94, 'Can change refresh token', 24, 'change_refreshtoken'),
	(95, 'Can delete refresh token', 24, 'delete_refreshtoken'),
	(96, 'Can view refresh token', 24, 'view_refreshtoken'),
	(97, 'Can add access token', 25, 'add_accesstoken'),
	(98, 'Can change access token', 25, 'change_accesstoken'),
	(99, 'Can delete access token', 25, 'delete_accesstoken'),
	(100, 'Can view access token', 25, 'view_accesstoken'),
	(101, 'Can add attempt count', 26, 'add_attemptcount'),
	(102, 'Can change attempt count', 26, 'change_attemptcount'),
	(103, 'Can delete attempt count', 26, 'delete_attemptcount'),
	(104, 'Can view attempt count', 26, 'view_attemptcount'),
	(105, 'Can add known network', 27, 'add_knownnetwork'),
	(106, 'Can change known network', 27, 'change_knownnetwork'),
	(107, 'Can delete known network', 27, 'delete_knownnetwork'),
	(108, 'Can view known network', 27, 'view_knownnetwork'),
	(109, 'Can add organization capture', 28, 'add_organizationcapture'),
	(110, 'Can change organization capture', 28, 'change_organizationcapture'),
	(111, 'Can delete organization capture', 28, 'delete_organizationcapture'),
	(112, 'Can view organization capture', 28, 'view_organizationcapture'),
	(113, 'Can add repository', 29, 'add_repository'),
	(114, 'Can change repository', 29, 'change_repository'),
	(115, 'Can delete repository', 29, 'delete_repository'),
	(116, 'Can view repository', 29, 'view_repository'),
	(117, 'Can add project token', 30, 'add_projecttoken'),
	(118, 'Can change project token', 30, 'change_projecttoken'),
	(119, 'Can delete project token', 30, 'delete_projecttoken'),
	(120, 'Can view project token', 30, 'view_projecttoken'),
	(121, 'Can add product', 31, 'add_product'),
	(122, 'Can change product', 31, 'change_product'),
	(123, 'Can delete product', 31, 'delete_product'),
	(124, 'Can view product', 31, 'view_product'),
	(125, 'Can add dynamic regions', 32, 'add_dynamicregions'),
	(126, 'Can change dynamic regions', 32, 'change_dynamicregions'),
	(127, 'Can delete dynamic regions', 32, 'delete_dynamicregions'),
	(128, 'Can view dynamic regions', 32, 'view_dynamicregions'),
	(129, 'Can add retention', 33, 'add_retention'),
	(130, 'Can change retention', 33, 'change_retention'),
	(131, 'Can delete retention', 33, 'delete_retention'),
	(132, 'Can view retention', 33, 'view_retention'),
	(133, 'Can add host account', 34, 'add_hostaccount'),
	(134, 'Can change host account', 34, 'change_hostaccount'),
	(135, 'Can delete host account', 34, 'delete_hostaccount'),
	(136, 'Can view host account', 34, 'view_hostaccount'),
	(137, 'Can add webhook delivery', 35, 'add_webhookdelivery'),
	(138, 'Can change webhook delivery', 35, 'change_webhookdelivery'),
	(139, 'Can delete webhook delivery', 35, 'delete_webhookdelivery'),
	(140, 'Can view webhook delivery', 35, 'view_webhookdelivery'),
	(141, 'Can add storage use', 36, 'add_storageuse'),
	(142, 'Can change storage use', 36, 'change_storageuse'),
	(143, 'Can delete storage use', 36, 'delete_storageuse'),
	(144, 'Can view storage use', 36, 'view_storageuse'),
	(145, 'Can add charge period', 37, 'add_chargeperiod'),
	(146, 'Can change charge period', 37, 'change_chargeperiod'),
	(147, 'Can delete charge period', 37, 'delete_chargeperiod'),
	(148, 'Can view charge period', 37, 'view_chargeperiod'),
	(149, 'Can add baseline', 38, 'add_baseline'),
	(150, 'Can change baseline', 38, 'change_baseline'),
	(151, 'Can delete baseline', 38, 'delete_baseline'),
	(152, 'Can view baseline', 38, 'view_baseline'),
	(153, 'Can add build', 39, 'add_build'),
	(154, 'Can change build', 39, 'change_build'),
	(155, 'Can delete build', 39, 'delete_build'),
	(156, 'Can view build', 39, 'view_build'),
	(157, 'Can add baseline move', 40, 'add_baselinemove'),
	(158, 'Can change baseline move', 40, 'change_baselinemove'),
	(159, 'Can delete baseline move', 40, 'delete_baselinemove'),
	(160, 'Can view baseline move', 40, 'view_baselinemove'),
	(161, 'Can add build shard', 41, 'add_buildshard'),
	(162, 'Can change build shard', 41, 'change_buildshard'),
	(163, 'Can delete build shard', 41, 'delete_buildshard'),
	(164, 'Can view build shard', 41, 'view_buildshard'),
	(165, 'Can add comparison', 42, 'add_comparison'),
	(166, 'Can change comparison', 42, 'change_comparison'),
	(167, 'Can delete comparison', 42, 'delete_comparison'),
	(168, 'Can view comparison', 42, 'view_comparison'),
	(169, 'Can add image', 43, 'add_image'),
	(170, 'Can change image', 43, 'change_image'),
	(171, 'Can delete image', 43, 'delete_image'),
	(172, 'Can view image', 43, 'view_image'),
	(173, 'Can add baseline entry', 44, 'add_baselineentry'),
	(174, 'Can change baseline entry', 44, 'change_baselineentry'),
	(175, 'Can delete baseline entry', 44, 'delete_baselineentry'),
	(176, 'Can view baseline entry', 44, 'view_baselineentry'),
	(177, 'Can add screenshot', 45, 'add_screenshot'),
	(178, 'Can change screenshot', 45, 'change_screenshot'),
	(179, 'Can delete screenshot', 45, 'delete_screenshot'),
	(180, 'Can view screenshot', 45, 'view_screenshot'),
	(181, 'Can add review entry', 46, 'add_reviewentry'),
	(182, 'Can change review entry', 46, 'change_reviewentry'),
	(183, 'Can delete review entry', 46, 'delete_reviewentry'),
	(184, 'Can view review entry', 46, 'view_reviewentry'),
	(185, 'Can add host message', 47, 'add_hostmessage'),
	(186, 'Can change host message', 47, 'change_hostmessage'),
	(187, 'Can delete host message', 47, 'delete_hostmessage'),
	(188, 'Can view host message', 47, 'view_hostmessage'),
	(189, 'Can add pull request', 48, 'add_pullrequest'),
	(190, 'Can change pull request', 48, 'change_pullrequest'),
	(191, 'Can delete pull request', 48, 'delete_pullrequest'),
	(192, 'Can view pull request', 48, 'view_pullrequest'),
	(193, 'Can add change group', 49, 'add_changegroup'),
	(194, 'Can change change group', 49, 'change_changegroup'),
	(195, 'Can delete change group', 49, 'delete_changegroup'),
	(196, 'Can view change group', 49, 'view_changegroup'),
	(197, 'Can add decision batch', 50, 'add_decisionbatch'),
	(198, 'Can change decision batch', 50, 'change_decisionbatch'),
	(199, 'Can delete decision batch', 50, 'delete_decisionbatch'),
	(200, 'Can view decision batch', 50, 'view_decisionbatch'),
	(201, 'Can add image view', 51, 'add_imageview'),
	(202, 'Can change image view', 51, 'change_imageview'),
	(203, 'Can delete image view', 51, 'delete_imageview'),
	(204, 'Can view image view', 51, 'view_imageview'),
	(205, 'Can add enrollment', 52, 'add_enrollment'),
	(206, 'Can change enrollment', 52, 'change_enrollment'),
	(207, 'Can delete enrollment', 52, 'delete_enrollment'),
	(208, 'Can view enrollment', 52, 'view_enrollment'),
	(209, 'Can add linked test', 53, 'add_linkedtest'),
	(210, 'Can change linked test', 53, 'change_linkedtest'),
	(211, 'Can delete linked test', 53, 'delete_linkedtest'),
	(212, 'Can view linked test', 53, 'view_linkedtest'),
	(213, 'Can add recording', 54, 'add_recording'),
	(214, 'Can change recording', 54, 'change_recording'),
	(215, 'Can delete recording', 54, 'delete_recording'),
	(216, 'Can view recording', 54, 'view_recording'),
	(217, 'Can add attachment', 55, 'add_attachment'),
	(218, 'Can change attachment', 55, 'change_attachment'),
	(219, 'Can delete attachment', 55, 'delete_attachment'),
	(220, 'Can view attachment', 55, 'view_attachment'),
	(221, 'Can add email address', 56, 'add_emailaddress'),
	(222, 'Can change email address', 56, 'change_emailaddress'),
	(223, 'Can delete email address', 56, 'delete_emailaddress'),
	(224, 'Can view email address', 56, 'view_emailaddress'),
	(225, 'Can add email confirmation', 57, 'add_emailconfirmation'),
	(226, 'Can change email confirmation', 57, 'change_emailconfirmation'),
	(227, 'Can delete email confirmation', 57, 'delete_emailconfirmation'),
	(228, 'Can view email confirmation', 57, 'view_emailconfirmation');
SELECT pg_catalog.setval('auth_permission_id_seq', 228, true);
SELECT pg_catalog.setval('django_content_type_id_seq', 57, true);
